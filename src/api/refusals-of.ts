import type { Site } from '../domain/site'
import { type Refusal, standingRefusal } from '../records/refusals'
import type { SiteState } from '../records/site-state'
import type { ApiDeps } from './app'

/** Why and since when channels of this site are off, by channel id; what was refused stays inside. */
export function refusalsOf(
  site: Site,
  state: SiteState,
  { channelsOf, resolveKey }: Pick<ApiDeps, 'channelsOf' | 'resolveKey'>,
): Readonly<Record<string, Omit<Refusal, 'digest'>>> {
  return Object.fromEntries(
    channelsOf(site).flatMap(({ id, credentials }) => {
      const refusal = standingRefusal(state.refusals, id, credentials?.(site, resolveKey) ?? null)
      if (refusal === null) return []
      const { digest: _, ...shown } = refusal
      return [[id, shown]]
    }),
  )
}
