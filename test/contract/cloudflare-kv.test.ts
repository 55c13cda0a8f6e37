import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach } from 'vitest'
import { createCloudflareKv } from '../../src/drivers/cloudflare-kv'
import type { Env } from '../../src/worker'
import { keyValueStoreContract } from './key-value-store'

afterEach(reset)

keyValueStoreContract('Cloudflare KV', () => createCloudflareKv((env as unknown as Env).KV))
