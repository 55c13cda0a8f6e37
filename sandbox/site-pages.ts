const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

// 181 days from 1 January end on 30 June; daytime hours keep an offset from moving a page out of that range.
const LASTMOD = {
  FIRST_DAY: Date.UTC(2026, 0, 1),
  DAYS: 181,
  DAY_STEP: 7,
  FIRST_HOUR: 6,
  HOURS: 12,
  OFFSET_HOURS: 2,
} as const

const SECTIONS = [
  { id: 'pages', prefix: '/pages/page-', sitemap: '/sitemap-pages.xml' },
  { id: 'blog', prefix: '/blog/post-', sitemap: '/sitemap-blog.xml' },
  { id: 'products', prefix: '/products/item-', sitemap: '/sitemap-products.xml.gz' },
  { id: 'news', prefix: '/news/story-', sitemap: '/sitemap-news.xml' },
] as const

const PAGE_WITH_QUERY = { number: 1, path: '/pages/view?id=1&lang=en' } as const

export const CHILD_SITEMAPS = SECTIONS.map((section) => section.sitemap)

function sectionOf(page: number) {
  return SECTIONS[(page - 1) % SECTIONS.length] ?? SECTIONS[0]
}

export function pagePath(page: number): string {
  return page === PAGE_WITH_QUERY.number ? PAGE_WITH_QUERY.path : `${sectionOf(page).prefix}${page}`
}

export function pageNumber(path: string): number | null {
  if (path === PAGE_WITH_QUERY.path) return PAGE_WITH_QUERY.number
  const digits = /-([1-9]\d*)$/.exec(path)?.[1]
  const page = Number(digits)
  return digits !== undefined && pagePath(page) === path ? page : null
}

export function pagesIn(sitemap: string, pages: number): number[] {
  const first = SECTIONS.findIndex((section) => section.sitemap === sitemap) + 1
  if (first === 0) return []
  const numbers: number[] = []
  for (let page = first; page <= pages; page += SECTIONS.length) numbers.push(page)
  return numbers
}

export function defaultLastmod(page: number): string {
  const day = LASTMOD.FIRST_DAY + ((page * LASTMOD.DAY_STEP) % LASTMOD.DAYS) * DAY_MS
  const moment = day + (LASTMOD.FIRST_HOUR + (page % LASTMOD.HOURS)) * HOUR_MS
  const forms = [
    () => new Date(day).toISOString().slice(0, 'yyyy-mm-dd'.length),
    () => `${withoutZone(moment)}Z`,
    () => `${withoutZone(moment + LASTMOD.OFFSET_HOURS * HOUR_MS)}+0${LASTMOD.OFFSET_HOURS}:00`,
  ]
  return (forms[page % forms.length] ?? forms[0])?.() ?? ''
}

function withoutZone(moment: number): string {
  return new Date(moment).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
}
