// One implementation in a process of its own: told to run, it says how long one pass over the sample took.
import { EXTRACTORS } from './extractors'
import { sampleSitemap } from './sample-sitemap'

const [name = '', urls = '10000', passes = '5'] = process.argv.slice(2)
const document = sampleSitemap(Number(urls))
const extract = await EXTRACTORS[name]?.(Number(urls))
if (extract === undefined) throw new Error(`no implementation is called ${name}`)

process.on('message', async () => {
  const times: number[] = []
  for (let pass = 0; pass < Number(passes); pass++) {
    const started = performance.now()
    const found = await extract(document)
    times.push(performance.now() - started)
    if (found !== Number(urls)) throw new Error(`${name} found ${found} of ${urls} URLs`)
  }
  times.sort((a, b) => a - b)
  process.send?.(times[times.length >> 1])
})
process.send?.('ready')
