// The process that holds workerd. It lives as long as the channel to its parent: a killed parent leaves nothing behind.
import { fileURLToPath } from 'node:url'
import { unstable_startWorker } from 'wrangler'

const config = fileURLToPath(new URL('../../wrangler.jsonc', import.meta.url))
let worker

async function end() {
  await worker?.dispose().catch(() => {})
  process.exit(0)
}

process.on('disconnect', end)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, end)

process.once('message', async ({ port, persist, vars }) => {
  const bindings = Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, { type: 'plain_text', value }]),
  )
  worker = await unstable_startWorker({
    config,
    bindings,
    dev: {
      server: { hostname: '127.0.0.1', port },
      persist,
      inspector: false,
      watch: false,
      logLevel: 'log',
    },
  })
  await worker.ready
  const url = await worker.url
  process.send?.({ url: url.href.replace(/\/$/, '') })
})
