import { env } from 'cloudflare:workers'
import type { World } from '../../sandbox/sandbox-client'
import { settingsFor } from './beckon'

/** Settings under which the world's site is the environment's site and Bing is on for it. */
export function bingSettings(world: World, extra: Record<string, string> = {}): Record<string, string> {
  return settingsFor(world, { BING_ENABLED: 'true', BING_API_KEY: world.bingKey, ...extra })
}

export const today = (): string => new Date(Date.now()).toISOString().slice(0, 10)

const quotaKey = (date: string) => `bing:quota:127.0.0.1:${date}`

/** The quota record as it lies in KV. */
export async function storedQuota(date = today()): Promise<Record<string, unknown> | null> {
  return env.KV.get(quotaKey(date), 'json')
}

/** As if so many had been accepted earlier that day. */
export async function useQuota(used: number, date = today()): Promise<void> {
  await env.KV.put(quotaKey(date), JSON.stringify({ used, lastUpdate: `${date}T00:00:00.000Z` }))
}

/** An error in the words Bing really uses. */
export const bingError = (code: number, name: string) => ({
  target: 'bing' as const,
  kind: 'answer' as const,
  status: 400,
  body: JSON.stringify({ ErrorCode: code, Message: `ERROR!!! ${name}` }),
})
