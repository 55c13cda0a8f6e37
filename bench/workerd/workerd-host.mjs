// Holds one workerd with the bench's Worker, as long as the channel to its parent is open.
import { fileURLToPath } from 'node:url'
import { unstable_startWorker } from 'wrangler'

const worker = await unstable_startWorker({
  config: fileURLToPath(new URL('./wrangler.jsonc', import.meta.url)),
  dev: {
    server: { hostname: '127.0.0.1', port: 0 },
    inspector: false,
    watch: false,
    logLevel: 'error',
    persist: false,
  },
})
process.on('disconnect', async () => {
  await worker.dispose().catch(() => {})
  process.exit(0)
})
await worker.ready
process.send?.({ url: (await worker.url).href.replace(/\/$/, '') })
