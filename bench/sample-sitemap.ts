const encoder = new TextEncoder()

export const BENCH_ORIGIN = 'https://www.example.com'

/** The URLs of a shop, of the length they usually have. */
export function sampleUrl(index: number, origin = BENCH_ORIGIN): string {
  return `${origin}/catalogue/department-${index % 37}/some-product-with-a-name-${index}`
}

/** Unix seconds. */
export function sampleLastmod(index: number): number {
  return Date.UTC(2025, 0, 1) / 1000 + index * 60
}

/** A sitemap as common plug-ins write it, about 208 bytes per URL. */
export function sampleSitemap(urls: number, origin = BENCH_ORIGIN): Uint8Array {
  let text =
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
  for (let index = 0; index < urls; index++) {
    const lastmod = new Date(sampleLastmod(index) * 1000).toISOString().replace('.000Z', '+00:00')
    text += `<url>\n<loc>${sampleUrl(index, origin)}</loc>\n<lastmod>${lastmod}</lastmod>\n`
    text += '<changefreq>weekly</changefreq>\n<priority>0.8</priority>\n</url>\n'
  }
  return encoder.encode(`${text}</urlset>\n`)
}
