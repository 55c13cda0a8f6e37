import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const schema = z.object({ sandboxPort: z.int().optional(), adminToken: z.string().optional() })

export type StartState = z.infer<typeof schema>

/** What `npm start` keeps between two runs, beside the Worker's own store. */
export function openStateFolder(folder: string) {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'start.json')
  return {
    kv: join(folder, 'kv'),
    read(): StartState {
      try {
        return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
      } catch {
        // First start, or a file somebody broke: a new one does no harm.
        return {}
      }
    },
    write(state: StartState): void {
      // It holds a token.
      writeFileSync(file, `${JSON.stringify(state)}\n`, { mode: 0o600 })
    },
  }
}
