import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CONTROL } from './limits'

const LOOPBACK = '127.0.0.1'

export interface RequestHead {
  method: string
  path: string
  rawQuery: string
  query: URLSearchParams
  userAgent: string | null
  contentType: string | null
  ifNoneMatch: string | null
}

export interface SandboxRequest extends RequestHead {
  body: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
}

export const text = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
})

export const html = (status: number, title: string): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`,
})

export const json = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
})

export const empty = (status: number): Answer => ({ status, headers: {}, body: '' })

export const wrongVerb = (allow: string): Answer => ({
  ...text(405, 'Method not allowed'),
  headers: { 'content-type': 'text/plain; charset=utf-8', allow },
})

export function requestHead(req: IncomingMessage): RequestHead {
  const [path = '/', ...rest] = (req.url ?? '/').split('?')
  const rawQuery = rest.join('?')
  return {
    method: req.method ?? 'GET',
    path,
    rawQuery,
    query: new URLSearchParams(rawQuery),
    userAgent: req.headers['user-agent'] ?? null,
    contentType: req.headers['content-type'] ?? null,
    ifNoneMatch: req.headers['if-none-match'] ?? null,
  }
}

export async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > CONTROL.MAX_BODY_BYTES) throw new Error('The request body is too large for the sandbox.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function send(res: ServerResponse, answer: Answer): void {
  res.writeHead(answer.status, answer.headers)
  res.end(answer.body)
}

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  try {
    return await listen(server, port)
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!taken) throw error
    return listen(server, 0)
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    // Hung and kept-alive sockets would hold close() open for ever.
    server.closeAllConnections()
  })
}
