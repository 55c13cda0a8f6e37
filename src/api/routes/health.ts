import { Hono } from 'hono'
import { VERSION } from '../../generated/product'
import type { ApiEnv } from '../app'

/** Alive, and which version: nothing a stranger could use. */
export function health(): Hono<ApiEnv> {
  return new Hono<ApiEnv>().get('/health', (c) => c.json({ status: 'ok', version: VERSION }))
}
