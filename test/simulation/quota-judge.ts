import type { PretendSite } from './pretend-site'

/** I3: what Bing took in a day, against what the owner allows and what the record of that day says. */
export class QuotaJudge {
  /** By site and day of the run. */
  readonly #taken = new Map<string, number>()
  /** By site and day: what may have made the record fall short. */
  readonly #troubles = new Map<string, number>()

  troubled({ id }: PretendSite, days: readonly string[]): void {
    for (const day of days) this.#troubles.set(`${id} ${day}`, (this.#troubles.get(`${id} ${day}`) ?? 0) + 1)
  }

  /** Tells how much more than allowed was taken, and what is wrong with that if anything is. */
  took({ id, profile }: PretendSite, date: string, urls: number): { over: number; fault: string | null } {
    const day = `${id} ${date}`
    const taken = (this.#taken.get(day) ?? 0) + urls
    this.#taken.set(day, taken)
    const troubles = this.#troubles.get(day) ?? 0
    const limit = profile.bingQuota * (1 + troubles)
    const fault = taken > limit ? `${taken} of ${limit} a day for ${day}, ${troubles} troubles` : null
    return { over: Math.max(0, taken - profile.bingQuota), fault }
  }

  /** The record says what the engine took, or less where something kept it from being written. */
  recorded({ id }: PretendSite, date: string, text: string): string | null {
    const day = `${id} ${date}`
    const used = /^\{"used":(\d+)[,}]/.exec(text)?.[1]
    // Somebody spoiled it.
    if (used === undefined) return null
    const taken = this.#taken.get(day) ?? 0
    const mayFallShort = (this.#troubles.get(day) ?? 0) > 0
    const isRight = mayFallShort ? Number(used) <= taken : Number(used) === taken
    return isRight ? null : `the record says ${used}, the engine took ${taken}: ${day}`
  }
}
