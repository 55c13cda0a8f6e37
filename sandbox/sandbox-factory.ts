import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { badInput } from './control'
import { optionsInput, parseInput } from './control-input'
import type { Answer, SandboxRequest } from './http-kit'
import { closeServer, json, listenOnLoopback, readBody, requestHead, send } from './http-kit'
import type { Sandbox } from './sandbox'
import { startSandbox } from './sandbox'

export interface SandboxFactory {
  url: string
  close(): Promise<void>
}

/** Starts sandboxes for callers that cannot open a port themselves, such as tests in workerd. */
export async function startSandboxFactory(): Promise<SandboxFactory> {
  const worlds = new Map<number, Sandbox>()

  async function create(body: string): Promise<Answer> {
    const options = parseInput(optionsInput, body)
    if (!options.ok) return badInput(options.sentence)
    const sandbox = await startSandbox(options.value)
    worlds.set(sandbox.port, sandbox)
    const { ledger: _ledger, close: _close, ...info } = sandbox
    return json(201, info)
  }

  async function remove(port: number): Promise<Answer> {
    const sandbox = worlds.get(port)
    if (!sandbox) return json(404, { error: `No world is open on port ${port}.` })
    worlds.delete(port)
    await sandbox.close()
    return json(200, { ok: true })
  }

  async function answer({ method, path, body }: SandboxRequest): Promise<Answer> {
    const port = /^\/worlds\/(\d+)$/.exec(path)?.[1]
    if (method === 'POST' && path === '/worlds') return create(body)
    if (method === 'DELETE' && port !== undefined) return remove(Number(port))
    return json(404, { error: 'The factory knows POST /worlds and DELETE /worlds/:port.' })
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    send(res, await answer({ ...requestHead(req), body: await readBody(req) }))
  }

  const server = createServer((req, res) => {
    serve(req, res).catch(() => res.destroy())
  })
  const port = await listenOnLoopback(server, 0)

  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      await closeServer(server)
      await Promise.all([...worlds.values()].map((sandbox) => sandbox.close()))
      worlds.clear()
    },
  }
}
