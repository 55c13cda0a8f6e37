import type { PretendSite } from './pretend-site'

const MAX_RECORDS = 100
const RUN_IDS = /[[,]\{"runId":"([^"]+)"/g

/** I10: what is in the history of a site stays there, once. */
export class HistoryJudge {
  readonly #kept = new Map<string, { readonly at: number; readonly runIds: readonly string[] }>()

  /**
   * What was lost or doubled since the last write, or null. A store in trouble may have shown an older history, and of two
   * runs at one time the second may not have seen what the first one wrote.
   */
  fault(site: PretendSite, text: string, now: number, runStartedAt: number): string | null {
    const runIds = [...text.matchAll(RUN_IDS)].map(([, runId = '']) => runId)
    const before = this.#kept.get(site.id)
    this.#kept.set(site.id, { at: now, runIds })
    if (before === undefined || site.lastStoreTrouble >= before.at || before.at >= runStartedAt) return null
    const [newest = '', ...others] = runIds
    if (others.includes(newest)) return `${newest} is in the history of ${site.id} twice`
    const present = new Set(runIds)
    const lost = before.runIds.slice(0, MAX_RECORDS - 1).find((runId) => !present.has(runId))
    return lost === undefined ? null : `${lost} left the history of ${site.id}`
  }
}
