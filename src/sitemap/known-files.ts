import type { SitemapFile, SitemapFiles } from '../domain/sitemap-file'
import type { ScanReport } from './scan-report'

/** A file nobody named for long would stay for ever; past this many the record is not worth its size. */
const MAX_FILES = 5_000
const MS_PER_DAY = 86_400_000

export interface KnownFilesOptions {
  readonly stored: SitemapFiles | null
  readonly host: string
  /** The channels taking part, each with the addresses of its endpoints in the order of its masks. */
  readonly channels: readonly { readonly id: string; readonly endpoints: readonly string[] }[]
  readonly ttlDays: number
  /** Days since 1970. */
  readonly today: number
  /** False when the marks of a channel taking part are gone: then nothing counts as settled. */
  readonly marksFound: boolean
}

/** One file as this run read it, whole and clean. */
export interface ScannedFile {
  readonly etag: string | null
  readonly lastModified: string | null
  readonly scannedAt: number
  readonly urls: number
  readonly report: Pick<ScanReport, 'duplicates' | 'channels'>
  /** The lastmod of it in the index that names it, as the end of that period; null without one. */
  readonly lastChange: number | null
}

/**
 * Which files need not be read again. A file is settled when every endpoint taking part has accepted or rejected every URL
 * in it and none of those marks has expired; only then may "not modified" be believed, because only then is there nothing
 * left to do in an unmodified file.
 */
export class KnownFiles {
  readonly #known: Readonly<Record<string, SitemapFile>>
  readonly #met = new Map<string, SitemapFile | ScannedFile | null>()
  /** Per channel the day of the oldest mark met in any file. */
  readonly #oldest: Record<string, number> = {}

  constructor(private readonly options: KnownFilesOptions) {
    const { stored, host, marksFound } = options
    this.#known = stored !== null && stored.host === host && marksFound ? stored.files : {}
  }

  /** What is known of this file if it is settled, else null. */
  settled(url: string): SitemapFile | null {
    const { channels, today, ttlDays } = this.options
    const file = this.#find(url)
    if (file === null) return null
    // Later than any mark of today lasts: by a wrong clock, or from before the time marks last was shortened.
    const isSettled = (address: string) => {
      const until = file.settledUntil[address] ?? 0
      return until > today && until <= today + ttlDays
    }
    return channels.every(({ endpoints }) => endpoints.every(isSettled)) ? file : null
  }

  /**
   * A settled file whose index says that it has not changed since it was last read, else null. An earlier lastmod is not
   * enough, it has to be the same one: by a clock behind ours a change after the reading has a time before it.
   */
  unchangedSince(url: string, lastChange: number | null): SitemapFile | null {
    const { today } = this.options
    const file = lastChange === null ? null : this.settled(url)
    if (file === null || file.lastChange !== lastChange || file.scannedAt >= (today + 2) * MS_PER_DAY) {
      return null
    }
    return tellsChanges(file) ? file : null
  }

  /** The file is as it was. */
  keep(url: string): void {
    this.#met.set(url, this.#find(url))
  }

  /** Asked for at `scannedAt`, it was still as it was. */
  confirm(url: string, { scannedAt, lastChange }: Pick<ScannedFile, 'scannedAt' | 'lastChange'>): void {
    const before = this.#find(url)
    const dated = before !== null && lastChange !== null
    this.#met.set(url, dated ? newer(before, { ...before, scannedAt, lastChange }) : before)
  }

  scanned(url: string, file: ScannedFile): void {
    this.#met.set(url, file)
    for (const [id, { oldestDay }] of Object.entries(file.report.channels)) {
      if (oldestDay !== null) this.#oldest[id] = Math.min(oldestDay, this.#oldest[id] ?? oldestDay)
    }
  }

  /** Read, but not whole or not clean: nothing may be concluded from it. */
  forget(url: string): void {
    this.#met.set(url, null)
  }

  /** What to remember, or null when that is what is stored already. `unsettled`: endpoints this run left something for. */
  close(unsettled: ReadonlySet<string>, isWhole: boolean): SitemapFiles | null {
    const { stored, host } = this.options
    const entries = new Map(isWhole ? [] : Object.entries(this.#known))
    for (const [url, met] of this.#met) {
      const file = met !== null && 'report' in met ? this.#remembered(url, met, unsettled) : met
      if (file === null) entries.delete(url)
      else if (entries.size < MAX_FILES) entries.set(url, file)
    }
    const files = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
    const next: SitemapFiles = { host, files }
    const nothing = stored === null && entries.size === 0
    return nothing || JSON.stringify(next) === JSON.stringify(stored) ? null : next
  }

  #remembered(url: string, scan: ScannedFile, unsettled: ReadonlySet<string>): SitemapFile | null {
    const settledUntil = this.#settledUntil(scan, unsettled)
    const { etag, lastModified, scannedAt, urls, lastChange } = scan
    const useless = etag === null && lastModified === null && lastChange === null
    if (useless || Object.keys(settledUntil).length === 0) return null
    const file: SitemapFile = {
      ...(etag === null ? {} : { etag }),
      ...(lastModified === null ? {} : { lastModified }),
      scannedAt,
      ...(lastChange === null ? {} : { lastChange }),
      urls,
      settledUntil,
    }
    return newer(this.#find(url), file)
  }

  #settledUntil({ report }: ScannedFile, unsettled: ReadonlySet<string>): Record<string, number> {
    const { channels, today, ttlDays } = this.options
    const settledUntil: Record<string, number> = {}
    // A URL met in another file first was counted there: this file is then judged by the whole crawl.
    const isShared = report.duplicates > 0
    for (const { id, endpoints } of channels) {
      const { missing, oldestDay } = report.channels[id] ?? { missing: 0, oldestDay: null }
      const oldest = (isShared ? this.#oldest[id] : oldestDay) ?? today
      for (const [index, address] of endpoints.entries()) {
        // Missing when it was read, but accepted since: the whole run left nothing undone there.
        const wasMissing = isShared || (missing & (1 << index)) !== 0
        if (wasMissing && unsettled.has(address)) continue
        settledUntil[address] = Math.min(oldest, today) + ttlDays
      }
    }
    return settledUntil
  }

  #find(url: string): SitemapFile | null {
    return Object.hasOwn(this.#known, url) ? (this.#known[url] ?? null) : null
  }
}

/** Whether another lastmod than this one would follow on any change after the reading: the period it names was over. */
const tellsChanges = ({ lastChange, scannedAt }: SitemapFile): boolean =>
  lastChange !== undefined && lastChange < scannedAt

/** The moment alone is not worth a write, unless it makes the lastmod tell changes. */
function newer(before: SitemapFile | null, file: SitemapFile): SitemapFile {
  if (before === null || tellsChanges(before) !== tellsChanges(file)) return file
  return JSON.stringify({ ...file, scannedAt: before.scannedAt }) === JSON.stringify(before) ? before : file
}
