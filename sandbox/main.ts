import { DEFAULTS } from './limits'
import { startSandbox } from './sandbox'

const sandbox = await startSandbox({ port: DEFAULTS.DEMO_PORT })

if (sandbox.port !== DEFAULTS.DEMO_PORT)
  console.log(`Port ${DEFAULTS.DEMO_PORT} is taken, so the sandbox uses ${sandbox.port}.`)

console.log(`The pretend web is open on this computer only:

  Site      ${sandbox.origin}  (sitemap: ${sandbox.sitemapUrl})
  Key file  ${sandbox.origin}/${sandbox.key}.txt
  Engine a  ${sandbox.engines.a}
  Engine b  ${sandbox.engines.b}
  Bing API  ${sandbox.bingApiBase}  (apikey: ${sandbox.bingKey})
  Ledger    ${sandbox.origin}/sandbox/ledger

Press Ctrl-C to stop.`)

process.once('SIGINT', () => {
  void sandbox.close()
})
