import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isAdminToken } from '../../src/settings'

/** Each by itself: what is broken begins afresh, the rest stays. */
const schema = z.object({
  sandboxPort: z.int().min(1).max(65_535).optional().catch(undefined),
  adminToken: z.string().refine(isAdminToken).optional().catch(undefined),
})

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
