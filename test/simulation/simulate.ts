/** `npm run simulate`: as many worlds as asked for, on all processors, and what came up in them. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Campaign, campaign, seedsFrom, together, told } from './campaign'
import { chaos, SITE_DAYS_PER_SEED } from './chaos'
import { FOUND_SEEDS } from './found-seeds'
import { PRODUCT } from './product'
import { missing } from './rare-states'

const USAGE = `Usage: npm run simulate -- [--site-days N] [--seed S] [--trace PATTERN]
  --site-days  how much to simulate (50000); a world has ${SITE_DAYS_PER_SEED}
  --seed       the first world (1); the others follow
  --trace      print the events of the first world that match this pattern, and run no other`
const PROGRESS_EVERY_MS = 30_000
/** Below this, chance alone keeps rare things away. */
const ENOUGH_TO_JUDGE = 25_000

/** Makes the process a child that is sent its seeds. */
const SHARE = '--share'

/** What a child sends: maps do not pass between processes. */
type Sent = Omit<Campaign, 'counts'> & { readonly counts: readonly (readonly [string, number])[] }

const print = (text: string) => process.stdout.write(`${text}\n`)

function stopWith(sentence: string): never {
  process.stderr.write(`${sentence}\n${USAGE}\n`)
  process.exit(2)
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        'site-days': { type: 'string', default: '50000' },
        seed: { type: 'string', default: '1' },
        trace: { type: 'string' },
      },
    })
    return {
      siteDays: wholeNumber('--site-days', values['site-days']),
      seed: wholeNumber('--seed', values.seed),
      trace: values.trace,
    }
  } catch (error) {
    return stopWith((error as Error).message)
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) stopWith(`${name} must be a whole number from 1 on`)
  return Number(text)
}

async function trace(seed: number, pattern: string): Promise<number> {
  let wanted: RegExp
  try {
    wanted = new RegExp(pattern)
  } catch {
    return stopWith('--trace must be a regular expression')
  }
  const listen = (event: string) => {
    if (wanted.test(event)) print(event)
  }
  const { violations, traceHash } = await chaos({ product: PRODUCT, seed, listen })
  for (const violation of violations) print(violation)
  print(`seed ${seed}, trace ${traceHash}, ${violations.length} promises broken`)
  return violations.length === 0 ? 0 : 1
}

/** One process for each processor, every one with its share of the worlds. */
async function simulate(seeds: readonly number[]): Promise<Campaign> {
  const processes = Math.min(availableParallelism(), seeds.length)
  const done = new Map<number, Campaign>()
  const progress = setInterval(() => print(line(together([...done.values()]))), PROGRESS_EVERY_MS)
  const started = performance.now()
  const line = ({ siteDays, failures }: Campaign) => {
    const perSecond = Math.round(siteDays / ((performance.now() - started) / 1000))
    return `${siteDays} site-days, ${perSecond} a second, ${failures.length} worlds with a broken promise`
  }
  const share = (nth: number) => seeds.filter((_, index) => index % processes === nth)
  const children = Array.from({ length: processes }, (_, nth) => {
    const child = fork(fileURLToPath(import.meta.url), [SHARE])
    child.send(share(nth))
    child.on('message', (sent: Sent) => {
      const before = done.get(nth)?.failures.length ?? 0
      done.set(nth, { ...sent, counts: new Map(sent.counts) })
      // At once: nobody should have to wait for the last world to look into the first that fails.
      for (const failure of sent.failures.slice(before)) print(`seed ${failure.seed}: ${told(failure)}`)
    })
    return ended(child)
  })
  await Promise.all(children)
  clearInterval(progress)
  const result = together([...done.values()])
  print(line(result))
  return result
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a share ended with ${code}`))))
  })
}

async function playShare(): Promise<void> {
  const [seeds] = (await once(process, 'message')) as [readonly number[]]
  await campaign(PRODUCT, seeds, ({ counts, ...rest }) => process.send?.({ ...rest, counts: [...counts] }))
  process.disconnect()
}

async function main(): Promise<number> {
  if (process.argv[2] === SHARE && process.send !== undefined) {
    await playShare()
    return 0
  }
  const { siteDays, seed, trace: pattern } = readArguments()
  if (pattern !== undefined) return trace(seed, pattern)

  const worlds = Math.ceil(siteDays / SITE_DAYS_PER_SEED)
  const found = FOUND_SEEDS.map(({ seed: one }) => one).filter((one) => one < seed || one >= seed + worlds)
  const { counts, failures, siteDays: played } = await simulate([...found, ...seedsFrom(seed, worlds)])
  print(`\nseeds ${seed} to ${seed + worlds - 1}, and ${found.length} that showed a bug before`)
  for (const [name, count] of [...counts].sort()) print(`  ${name.padEnd(40)}${String(count).padStart(10)}`)
  const absent = played < ENOUGH_TO_JUDGE ? [] : missing(counts, played)
  for (const what of absent) print(`\ntoo rare to prove anything: ${what}`)
  print(failures.length === 0 ? '\nno promise was broken' : `\n${failures.length} worlds broke a promise`)
  return failures.length + absent.length === 0 ? 0 : 1
}

process.exitCode = await main()
