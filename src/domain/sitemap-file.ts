/** What is remembered of a sitemap file that was read whole and found clean. */
export interface SitemapFile {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
  /** When its reading began, in ms since 1970. */
  readonly scannedAt: number
  /** The lastmod its index gave it then: the end of the period that names, in ms since 1970. */
  readonly lastChange?: number | undefined
  /** How many URLs of the site it holds. */
  readonly urls: number
  /** Per endpoint address that has settled every URL of it: the day the first of those marks expires. */
  readonly settledUntil: Readonly<Record<string, number>>
}

export interface SitemapFiles {
  /** The host its URLs were admitted for. */
  readonly host: string
  readonly files: Readonly<Record<string, SitemapFile>>
}
