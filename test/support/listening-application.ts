import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compose, configure } from '../../src/compose'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { systemClock, systemRandom, systemSleep } from '../../src/drivers/system'
import type { Fetch } from '../../src/ports'
import { createLogCapture } from './memory-application'
import { readScannerModule } from './scanner-module'

/** The application behind a port on loopback, for programs that can speak nothing but HTTP. */
export async function listen(options: {
  readonly env: Readonly<Record<string, string>>
  readonly fetch: Fetch
}): Promise<{ url: string; close(): Promise<void> }> {
  const configuration = configure(options.env)
  const { logger } = createLogCapture(systemClock, 'error')
  const app = compose(
    {
      clock: systemClock,
      sleep: systemSleep,
      random: systemRandom,
      store: createMemoryStore(systemClock),
      scanner: readScannerModule(),
      fetch: options.fetch,
      logger,
    },
    configuration,
  )
  const server = createServer(async (incoming, outgoing) => {
    const response = await app.fetch(await requestOf(incoming), { waitUntil: () => {} })
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(new Uint8Array(await response.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
  const { method = 'GET', url = '/' } = incoming
  const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks).toString() }
  return new Request(`http://${incoming.headers.host}${url}`, { method, headers, ...body })
}
