import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { listen } from '../support/listening-application'
import { madeUpInternet } from '../support/made-up-internet'

const KEY = 'key-of-the-example-01'
const TOKEN = 'a-token-of-32-characters-exactly'

/** The shell blocks of the API chapter that call curl or set what the calls use. */
function blocksOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const chapter = text.slice(text.indexOf('BECKON=https://') - 10)
  const blocks = [...chapter.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, block]) => block ?? '')
  return blocks.filter((block) => /\bcurl\b|^BECKON=/m.test(block))
}

/** What the comment after each command says its answer holds. */
function promisesOf(script: string): (readonly string[] | null)[] {
  const commands = script.split(/^(?=\s*curl )/m).filter((part) => /^\s*curl /.test(part))
  return commands.map((command) => {
    const said = /# \{([^}]*)/.exec(command)?.[1]
    return said === undefined ? null : (said.match(/\w+/g) ?? [])
  })
}

/** Runs real curl, noting status and body of each call. */
const RECORDER = `
set -u
count=0
curl() {
  count=$((count + 1))
  command curl --silent --show-error --max-time 20 --output "$OUT/$count.json" --write-out '%{http_code}\\n' "$@" >> "$OUT/statuses"
}
`

describe.each(['README.md', 'README.zh-CN.md'])('the curl examples of %s', (file) => {
  it('work as they stand, from the first to the last, and answer what their comments say', async () => {
    const internet = madeUpInternet({ host: 'www.example.com', key: KEY })
    const env = {
      ADMIN_TOKEN: TOKEN,
      EXAMPLE_INDEXNOW_KEY: KEY,
      REQUEST_INTERVAL_MS: '0',
      BATCH_PAUSE_MS: '0',
    }
    const server = await listen({ env, fetch: internet.fetch })
    const out = mkdtempSync(join(tmpdir(), 'beckon-readme-'))
    try {
      const blocks = blocksOf(file)
      // The chapter on rolling back comes after the site was deleted: it is played before that.
      const clearing = blocks.filter((block) => /^ {3}curl/m.test(block))
      const others = blocks.filter((block) => !clearing.includes(block))
      const last = others.pop() ?? ''
      const script = [...others, ...clearing, last].join('\n')
      const here = script.replace(/^BECKON=.*$/m, `BECKON=${server.url}`)
      await promisify(execFile)('bash', ['-c', RECORDER + here], {
        env: { PATH: process.env.PATH ?? '', ADMIN_TOKEN: TOKEN, OUT: out },
        timeout: 60_000,
      })
      const statuses = readFileSync(join(out, 'statuses'), 'utf8').trim().split('\n')
      const promises = promisesOf(script)
      expect(statuses.length).toBe(promises.length)
      expect(statuses.length).toBeGreaterThanOrEqual(17)
      for (const [index, promised] of promises.entries()) {
        const answer = JSON.parse(readFileSync(join(out, `${index + 1}.json`), 'utf8')) as object
        expect(Number(statuses[index]), JSON.stringify(answer)).toBeLessThan(300)
        for (const name of promised ?? []) expect(Object.keys(answer)).toContain(name)
      }
      expect(statuses).toEqual(expect.arrayContaining(['201', '202', '200']))
      expect(internet.asked.some(({ url }) => url.includes('yandex.com/indexnow?url='))).toBe(true)
    } finally {
      await server.close()
      rmSync(out, { recursive: true, force: true })
    }
  })
})
