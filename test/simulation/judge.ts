import type { ExecutionRecord } from '../../src/domain/execution-record'
import { nextRunAfter } from '../../src/domain/schedule'
import { endpointId } from '../../src/marks/fingerprint'
import { MarkTable } from '../../src/marks/mark-table'
import { parseKey } from '../../src/records/keys'
import { HistoryJudge } from './history-judge'
import { type StoredTruth, textOf, type Value } from './hostile-store'
import { LaneJudge } from './lane-judge'
import { isBadAt, type Page, type PretendSite, SECRET_MARK } from './pretend-site'
import { QuotaJudge } from './quota-judge'
import { figureFaults } from './record-figures'
import type { SimulatedTime } from './simulated-time'

export const BING = 'bing-webmaster-api'
const MAX_KEY_BYTES = 512
const MAX_VALUE_BYTES = 4 * 1024 * 1024
const MAX_RECORDS = 100
/** By GET: the flush window and what is in flight. In bulk: one request. */
const DUPLICATES_PER_FAULT = 103
/** Between looking for a lease and writing one, on a slow store. A run that began in between may have its own written over. */
const LEASE_RACE_MS = 8_000
/** More than the clocks of two machines are apart and a dead run's lease lasts. */
const DUE_MARGIN_MS = 15 * 60_000
const KEPT_VIOLATIONS = 5
export const MAX_SKEW_MS = 3_600_000

/** One run as the world sees it. */
export interface RunTrack {
  readonly runId: string
  readonly site: PretendSite
  readonly startedAt: number
  /** By the run's own clock. */
  readonly day: string
  readonly epoch: number
  recorded: boolean
  closed: boolean
  /** An engine accepted something without saying so. */
  unknown: boolean
  /** By endpoint: how many it accepted and said so. */
  readonly accepted: Map<string, number>
  readonly lanes: Map<string, LaneJudge>
}

/** Secrets in any spelling that a leak would have. */
const LEAKS = [SECRET_MARK, hex(SECRET_MARK), ...[0, 1, 2].map((shift) => base64Piece(shift))]

function hex(text: string): string {
  return Buffer.from(text).toString('hex').repeat(1)
}

/** What base64 makes of `Zq1Zq2…` wherever it begins: the piece that does not depend on its neighbours. */
function base64Piece(shift: number): string {
  const text = Buffer.from(`${'x'.repeat(shift)}${SECRET_MARK}1${SECRET_MARK}1${SECRET_MARK}1`).toString(
    'base64',
  )
  return text.slice(4, 8)
}

/** Watches everything that happens and says which promise was broken. */
export class Judge {
  readonly violations: string[] = []
  readonly duplicates = new Map<string, number>()
  readonly runs = new Map<string, RunTrack>()
  readonly #open = new Map<string, RunTrack[]>()
  readonly #startedAt: number
  /** By site and endpoint: the largest request so far. */
  readonly #largest = new Map<string, number>()
  readonly #histories = new HistoryJudge()
  readonly #quotas = new QuotaJudge()
  readonly #untold = new Map<string, Set<RunTrack>>()
  readonly #endpoints = new Map<bigint, string>([[endpointId(BING), BING]])

  constructor(
    private readonly time: SimulatedTime,
    private readonly truth: StoredTruth,
    private readonly sites: ReadonlyMap<string, PretendSite>,
    engines: readonly string[],
    private readonly count: (what: string) => void,
  ) {
    this.#startedAt = time.now
    for (const address of engines) this.#endpoints.set(endpointId(address), address)
  }

  broken(invariant: string, detail: string): void {
    if (this.violations.length < KEPT_VIOLATIONS) {
      this.violations.push(`${invariant}: ${detail} (${new Date(this.time.now).toISOString()})`)
    }
  }

  /** Something went wrong that this site may suffer from. */
  troubled(site: PretendSite, kind: 'killed' | 'overlap' | 'unknown' | 'quota' | 'store'): void {
    site.epoch++
    site.lastTrouble = this.time.now
    if (kind !== 'killed' && kind !== 'unknown') site.lastStoreTrouble = this.time.now
    // Trouble with other records, or a count that somebody spoiled, is no excuse for sending more.
    if (kind === 'store') return
    const open = (this.#open.get(site.id) ?? []).map(({ day }) => day)
    this.#quotas.troubled(site, [dayOf(this.time.now), ...open])
  }

  /** A run from before the story begins. */
  expectRun(runId: string, site: PretendSite, startedAt: number): void {
    this.runEnds(this.runStarts(site, runId, startedAt, startedAt))
  }

  runStarts(site: PretendSite, runId: string, startedAt: number, at = this.time.now): RunTrack {
    const known = this.runs.get(runId)
    if (known !== undefined) return known
    const run: RunTrack = {
      runId,
      site,
      startedAt: at,
      day: dayOf(startedAt),
      epoch: site.epoch,
      recorded: false,
      closed: false,
      unknown: false,
      accepted: new Map(),
      lanes: new Map(),
    }
    this.runs.set(runId, run)
    // By a clock that is ahead it may have started for a moment of the schedule that is still to come.
    site.turn = { startedAt: Math.max(this.time.now, startedAt), missed: 0 }
    if (dayOf(startedAt) !== dayOf(startedAt + 60_000)) this.count('state_run_before_midnight')
    const untold = this.#untold.get(site.id) ?? new Set()
    for (const earlier of untold) {
      if (this.time.now - earlier.startedAt < LEASE_RACE_MS) untold.delete(earlier)
    }
    this.#untold.set(site.id, untold.add(run))
    const open = this.#open.get(site.id) ?? []
    open.push(run)
    this.#open.set(site.id, open)
    if (open.length > 1) {
      this.count('overlapping_runs')
      this.troubled(site, 'overlap')
    }
    return run
  }

  runEnds(run: RunTrack): void {
    run.closed = true
    const open = (this.#open.get(run.site.id) ?? []).filter((one) => one !== run)
    this.#open.set(run.site.id, open)
  }

  /** I13: a site that is due is started by one of the next ticks, whatever the others are like. */
  tickEnds(startedAt: number): void {
    for (const site of this.sites.values()) {
      const { turn } = site
      const due = nextRunAfter(site.profile.schedule, turn.startedAt)
      const waits =
        !site.unusable && turn.startedAt < startedAt && due !== null && due < startedAt - DUE_MARGIN_MS
      if (!waits || site.lastTrouble >= startedAt - DUE_MARGIN_MS) turn.missed = 0
      else if (++turn.missed > this.sites.size + 1) {
        this.broken('I13', `${site.id} is due and was passed over by ${turn.missed} ticks`)
      } else this.count('state_waited_a_tick')
    }
  }

  /** The judge of how this run goes about asking this endpoint. */
  laneOf(run: RunTrack, endpoint: string): LaneJudge {
    const known = run.lanes.get(endpoint)
    if (known !== undefined) return known
    const lane = new LaneJudge(
      this.time,
      `${run.site.id} at ${endpoint}`,
      endpoint === BING,
      (invariant, detail) => this.broken(invariant, detail),
    )
    run.lanes.set(endpoint, lane)
    return lane
  }

  /** The ledger, with I3, I7 and what a submission may hold. */
  accepted(run: RunTrack, endpoint: string, urls: readonly string[], told: boolean): void {
    const { site } = run
    if (told) run.accepted.set(endpoint, (run.accepted.get(endpoint) ?? 0) + urls.length)
    else {
      run.unknown = true
      this.troubled(site, 'unknown')
    }
    if (new Set(urls).size < urls.length) this.broken('I7', `a URL twice in one request of ${site.id}`)
    const place = `${site.id} ${endpoint}`
    this.#largest.set(place, Math.max(urls.length, this.#largest.get(place) ?? 0))
    for (const url of urls) this.#acceptedUrl(run, endpoint, url)
    if (endpoint !== BING) return
    const { over, fault } = this.#quotas.took(site, run.day, urls.length)
    if (fault !== null) this.broken('I3', fault)
    if (over > 0) this.count('quota_overshoot_after_trouble')
  }

  /**
   * Before any mark of this world can have expired. A mark has one day for all endpoints, so that where marks expire an endpoint
   * that was late hears of a page early again; and a day may begin and end an hour off.
   */
  #marksLast({ profile }: PretendSite): boolean {
    return this.time.now - this.#startedAt < (profile.ttlDays - 1) * 86_400_000 - 2 * MAX_SKEW_MS
  }

  #acceptedUrl(run: RunTrack, endpoint: string, url: string): void {
    const { site } = run
    const page = site.pages.get(url.slice(`https://${site.id}`.length))
    if (page === undefined) {
      this.broken('I2', `${url} was submitted and is no page of ${site.id}`)
      return
    }
    const last = page.accepted.get(endpoint)
    const { now } = this.time
    const live = this.#marksLast(site)
    if (last !== undefined && live && last.runStartedAt > page.publishedAt) {
      this.count('duplicate')
      const place = `${site.id} ${endpoint}`
      const sum = (this.duplicates.get(place) ?? 0) + 1
      this.duplicates.set(place, sum)
      if (last.epoch === site.epoch)
        this.broken('I7', `${url} again to ${endpoint} though nothing went wrong`)
      const perFault = Math.max(DUPLICATES_PER_FAULT, this.#largest.get(place) ?? 0)
      if (sum > site.epoch * perFault) this.broken('I7', `${sum} duplicates at ${place}`)
    }
    page.accepted.set(endpoint, { at: now, runStartedAt: run.startedAt, epoch: run.epoch })
  }

  /** Everything written is looked at: I2, I3, I6, I10, I14. */
  written(key: string, value: Value, applied: boolean, run: RunTrack | null): void {
    const parsed = parseKey(key)
    if (parsed === null) {
      this.broken('I14', `a key that is none of ours: ${key}`)
      return
    }
    if (key.length > MAX_KEY_BYTES || value.length > MAX_VALUE_BYTES) this.broken('I14', `too large: ${key}`)
    const site = this.sites.get(parsed.siteId)
    if (site === undefined) return
    if (parsed.kind === 'marks') {
      this.#marks(site, key, value as Uint8Array)
      return
    }
    const text = textOf(value) ?? ''
    if (parsed.kind === 'config') return
    this.said(text, key)
    if (parsed.kind === 'history') this.#history(site, text, applied)
    if (parsed.kind === 'state' && run !== null && text.includes(`"finishedRunId":"${run.runId}"`)) {
      if (!run.recorded && site.lastStoreTrouble < run.startedAt)
        this.broken('I10', `${run.runId} closed without a record`)
      this.runEnds(run)
      // While another one is under way its count may be about to be written.
      if ((this.#open.get(site.id) ?? []).length === 0) {
        this.#quota(
          site,
          run.day,
          textOf(this.truth.read(`bing:quota:${site.id}:${run.day}`)) ?? '{"used":0}',
        )
      }
    }
    if (parsed.kind === 'quota' && applied) this.#quota(site, parsed.date, text)
  }

  #quota(site: PretendSite, date: string, text: string): void {
    const fault = this.#quotas.recorded(site, date, text)
    if (fault !== null) this.broken('I3', fault)
  }

  /** I6: wherever words leave the product. */
  said(text: string, where: string): void {
    for (const leak of LEAKS) {
      if (text.includes(leak)) this.broken('I6', `a piece of a key in ${where}: ${text.slice(0, 300)}`)
    }
  }

  #marks(site: PretendSite, key: string, bytes: Uint8Array): void {
    const table = MarkTable.parse(bytes)
    if (table === null) {
      this.broken('I14', `an unreadable table was written: ${key}`)
      return
    }
    const owners = table.owners().map((owner) => (owner === 0n ? null : (this.#endpoints.get(owner) ?? '?')))
    const isBing = key.startsWith('url_cache:bing:')
    for (const mark of table.marks()) {
      const page = site.byFingerprint.get(`${mark.high} ${mark.low}`)
      if (page === undefined) {
        this.broken('I2', `a mark of ${site.id} for no page of it`)
        continue
      }
      for (const [bit, endpoint] of owners.entries()) {
        const isAccepted = (mark.accepted & (1 << bit)) !== 0
        const isRejected = (mark.rejected & (1 << bit)) !== 0
        if (!isAccepted && !isRejected) continue
        if (endpoint === null || (endpoint === BING) !== isBing) {
          this.broken('I11', `a mark of ${endpoint} in ${key}`)
        } else if (isRejected && !page.refused.has(endpoint)) {
          this.broken('I1', `${page.url} was written off for ${endpoint}, which never refused it`)
        }
        if (isAccepted && endpoint !== null) this.#mark(page, endpoint, mark.lastmod)
      }
    }
  }

  #mark(page: Page, endpoint: string, lastmod: number): void {
    const last = page.accepted.get(endpoint)
    if (last === undefined)
      this.broken('I2', `${page.url} is marked for ${endpoint}, which never accepted it`)
    else if (last.at < lastmod * 1000) {
      this.broken('I2', `${page.url} is marked for ${endpoint} with a change it was not told of`)
    }
  }

  #history(site: PretendSite, text: string, applied: boolean): void {
    const next = text.indexOf(',{"runId"', 2)
    const record = JSON.parse(text.slice(1, next < 0 ? -1 : next)) as ExecutionRecord
    const run = this.runs.get(record.runId)
    const { status } = record
    const faults = figureFaults(record, run, [...this.#endpoints.values()])
    for (const fault of faults) this.broken('I10', fault)
    this.count(`run_${status}`)
    if (run === undefined) {
      this.broken('I10', `a record of an unknown run ${record.runId}`)
      return
    }
    // Whoever tells of a dead run has only just begun, and has no lease yet that says when.
    const begun = status === 'interrupted' ? this.time.now - LEASE_RACE_MS : run.startedAt
    const fault = applied ? this.#histories.fault(site, text, this.time.now, begun) : null
    if (fault !== null) this.broken('I10', fault)
    run.recorded = true
    if (status === 'interrupted' || !applied) return
    for (const earlier of this.#untold.get(site.id) ?? []) {
      if (earlier.recorded) this.#untold.get(site.id)?.delete(earlier)
      if (earlier.recorded || earlier === run || !earlier.closed) continue
      if (earlier.startedAt <= site.lastStoreTrouble || earlier.startedAt >= run.startedAt) continue
      this.broken('I10', `${earlier.runId} of ${site.id} has no record and was not told of`)
    }
  }

  /** I4 and I1, once faults have been off for long enough. */
  allHeard(): void {
    for (const site of this.sites.values()) {
      const endpoints = site.profile.bing
        ? [...site.profile.engines.map(addressOf), BING]
        : site.profile.engines.map(addressOf)
      for (const page of site.listed) {
        for (const endpoint of endpoints) this.#heard(site, page, endpoint)
      }
    }
  }

  #heard(site: PretendSite, page: Page, endpoint: string): void {
    const last = page.accepted.get(endpoint)
    if (isBadAt(page, endpoint)) {
      if (last !== undefined) this.broken('I1', `${page.url} is bad and was accepted`)
      this.#listed(site, page, endpoint)
      return
    }
    if (last === undefined) this.broken('I4', `${page.url} of ${site.id} never reached ${endpoint}`)
    else if (page.hasLastmod && last.at < page.publishedAt) {
      this.broken('I4', `the change of ${page.url} never reached ${endpoint}`)
    }
  }

  /** I1: whoever asks is told why a page was refused, unless the run that heard it came to grief. */
  #listed(site: PretendSite, page: Page, endpoint: string): void {
    if (site.epoch > 0) return
    const text = textOf(this.truth.read(`sites:pending:${site.id}`)) ?? '{"entries":[]}'
    const { entries } = JSON.parse(text) as { entries: { url: string; channel: string; engine: string }[] }
    const isThere = entries.some(
      ({ url, channel, engine }) =>
        url === page.url && (endpoint === BING ? channel === 'bing' : addressOf(engine) === endpoint),
    )
    if (!isThere) this.broken('I1', `${page.url} was refused by ${endpoint}, and no list says so`)
    this.count('refusal_listed')
  }

  /** A submission on its way: what an engine refused by name is not sent there again unchanged. */
  sent(run: RunTrack, endpoint: string, urls: readonly string[]): void {
    const { site } = run
    for (const url of urls) {
      const page = site.pages.get(url.slice(`https://${site.id}`.length))
      const refusal = page?.refused.get(endpoint)
      if (page === undefined || refusal === undefined || !refusal.named) continue
      const live = this.#marksLast(site)
      const changed = page.hasLastmod && page.publishedAt !== refusal.publishedAt
      if (live && !changed && refusal.runId !== run.runId && refusal.epoch === site.epoch) {
        this.broken('I7', `${url} again to ${endpoint}, which had refused it`)
      }
    }
  }

  /** `named`: it was the only one, or the engine said that it was this one. */
  refused(run: RunTrack, endpoint: string, url: string, named: boolean): void {
    const page = run.site.pages.get(url.slice(`https://${run.site.id}`.length))
    const { publishedAt = 0 } = page ?? {}
    page?.refused.set(endpoint, { runId: run.runId, epoch: run.epoch, publishedAt, named })
  }

  /** I14: what a site leaves in the store. */
  bounded(): void {
    const perSite = 6 + 2 + 3
    const keys = this.truth.keys()
    if (keys.length > perSite * this.sites.size) this.broken('I14', `${keys.length} keys`)
    for (const site of this.sites.values()) {
      const text = textOf(this.truth.read(`sites:history:${site.id}`)) ?? '[]'
      const records = (JSON.parse(text) as unknown[]).length
      if (records > MAX_RECORDS) this.broken('I14', `${records} records of ${site.id}`)
    }
  }
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const addressOf = (engine: string): string => `https://${engine}/indexnow`
