export interface Edit {
  /** Below `src`. */
  readonly file: string
  /** What the product says there, and what it would say with the bug. */
  readonly instead: readonly [right: string, wrong: string]
}

export interface PlantedBug {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The promises it breaks; one of them must be seen broken. */
  readonly breaks: readonly string[]
  /** The small story that shows it wherever a fault strikes, for one that chance rarely meets. */
  readonly story?: string
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a URL is marked before it is sent',
    edits: [
      {
        file: 'pipeline/engine-lane.ts',
        instead: [
          'const urls = rows.map(({ url }) => url)',
          'for (const row of rows) this.options.marks.accept(row, this.options.index); const urls = rows.map(({ url }) => url)',
        ],
      },
    ],
    breaks: ['I2'],
  },
  {
    name: 'one mark stands for all engines',
    edits: [
      {
        file: 'marks/url-cache.ts',
        instead: [
          '.accept(url.fingerprint, url.lastmod, this.layers.bits[endpoint] ?? 0, life)',
          '.accept(url.fingerprint, url.lastmod, this.layers.bits.reduce((all, bit) => all | bit, 0), life)',
        ],
      },
    ],
    breaks: ['I2'],
  },
  {
    name: 'a file counts as settled though engines still wait for its URLs',
    edits: [
      { file: 'sitemap/known-files.ts', instead: ['if (wasMissing && unsettled.has(address)) continue', ''] },
    ],
    breaks: ['I4'],
  },
  {
    name: '"not modified" is believed of a file that is not settled',
    edits: [
      {
        file: 'sitemap/known-files.ts',
        instead: ['return until > today && until <= today + ttlDays', 'return true'],
      },
    ],
    breaks: ['I4'],
    story: 'an engine that is busy, and one that is down',
  },
  {
    name: 'a quota refusal is taken for a bad URL',
    edits: [
      {
        file: 'channels/bing/response-policy.ts',
        instead: [
          "return { kind: 'deferred', reason: 'quota' }",
          "return { kind: 'rejected', scope: 'url', reason: 'invalid_url' }",
        ],
      },
    ],
    breaks: ['I1'],
  },
  {
    name: 'a refused key writes the URL off',
    edits: [
      {
        file: 'pipeline/engine-lane.ts',
        instead: ["outcome.kind === 'rejected' && outcome.scope === 'url'", "outcome.kind === 'rejected'"],
      },
    ],
    breaks: ['I1'],
  },
  {
    name: 'what was given up counts as accepted',
    edits: [
      {
        file: 'pipeline/engine-fate.ts',
        instead: [
          "return { ending: 'failed', trouble: { reason, detail: said(attempted.value) } }",
          "return { ending: 'accepted' }",
        ],
      },
    ],
    breaks: ['I2', 'I10'],
  },
  {
    name: 'one retry too many',
    edits: [
      { file: 'net/retry.ts', instead: ['if (this.#used === maxRetries)', 'if (this.#used > maxRetries)'] },
    ],
    breaks: ['I9'],
  },
  {
    name: 'an engine that is busy is asked again after a second',
    edits: [
      {
        file: 'pipeline/open-channels.ts',
        instead: [
          "cause === 'throttled' ? settings.waits.rateLimitMs",
          "cause === 'throttled' ? settings.waits.retryBaseMs",
        ],
      },
    ],
    breaks: ['I9'],
  },
  {
    name: 'every request is taken to be the last of the budget',
    edits: [
      {
        file: 'pipeline/budget.ts',
        instead: [
          'if (limits.requests - made <= reserve || msLeft() === 0) return false',
          'if (msLeft() === 0) return false',
        ],
      },
    ],
    breaks: ['I8'],
  },
  {
    name: 'requests to one engine start together',
    edits: [
      {
        file: 'net/pool.ts',
        instead: [
          'Math.max(last + this.#intervalMs, this.#pausedUntil)',
          'Math.max(last, this.#pausedUntil)',
        ],
      },
    ],
    breaks: ['I8'],
  },
  {
    name: 'marks are written twice a second',
    edits: [
      {
        file: 'marks/url-cache.ts',
        instead: ['const MIN_FLUSH_GAP_MS = 1_000', 'const MIN_FLUSH_GAP_MS = 0'],
      },
    ],
    breaks: ['I8'],
  },
  {
    name: 'what an engine took is not counted against the day',
    edits: [
      {
        file: 'pipeline/open-channels.ts',
        instead: ['if (quota !== undefined && accepted > 0)', 'if (quota !== undefined && accepted < 0)'],
      },
    ],
    breaks: ['I3'],
  },
  {
    name: 'the quota of a day is counted twice',
    edits: [
      {
        file: 'records/quota-manager.ts',
        instead: ['const used = before.used + accepted', 'const used = before.used + 2 * accepted'],
      },
    ],
    breaks: ['I3'],
  },
  {
    name: 'the marks of IndexNow serve Bing as well',
    edits: [
      {
        file: 'pipeline/open-channels.ts',
        instead: [
          'keys.marks(channel.cachePrefix, site.id, bucket)',
          "keys.marks('url_cache', site.id, bucket)",
        ],
      },
    ],
    breaks: ['I11'],
  },
  {
    name: 'a key in the text of an error',
    edits: [
      { file: 'channels/send-and-judge.ts', instead: ['.replaceAll(key, MASK)', ''] },
      { file: 'pipeline/presentable.ts', instead: ['masked.replaceAll(secret, hint(secret))', 'masked'] },
    ],
    breaks: ['I6'],
  },
  {
    name: 'a key in the log',
    edits: [
      { file: 'channels/send-and-judge.ts', instead: ['.replaceAll(key, MASK)', ''] },
      { file: 'logger.ts', instead: ['masked = masked.replaceAll(secret, hint(secret))', ''] },
    ],
    breaks: ['I6'],
  },
  {
    name: 'a round of an index never ends: the files before its cursor are not read again',
    edits: [
      {
        file: 'pipeline/what-is-left.ts',
        instead: ['return cursor === null ? rounds :', 'return cursor === null ? state.rounds :'],
      },
    ],
    breaks: ['I4'],
    story: 'an index longer than the budget',
  },
  {
    name: 'a mark claims a change that no engine was told of',
    edits: [
      {
        file: 'marks/mark-table.ts',
        instead: [
          'toStored(lastmod), life)\n    this.#words[at + 3] = (word(this.#words, at + 3) | (bit << 16))',
          '0xffffffff, life)\n    this.#words[at + 3] = (word(this.#words, at + 3) | (bit << 16))',
        ],
      },
    ],
    breaks: ['I2'],
  },
  {
    name: 'a lease that never runs out',
    edits: [
      {
        file: 'records/run-lease.ts',
        instead: ['lease.runId !== finishedRunId && lease.until > now', 'lease.runId !== finishedRunId'],
      },
    ],
    breaks: ['I4', 'I13'],
  },
  {
    name: 'a run that died is not told of',
    edits: [
      {
        file: 'pipeline/perform-run.ts',
        instead: [
          'const interrupted = dead === null ? null : interruptedRecord(site.id, dead)',
          'const interrupted = null as ExecutionRecord | null',
        ],
      },
    ],
    breaks: ['I10'],
  },
  {
    name: 'a run leaves no record',
    edits: [
      {
        file: 'pipeline/perform-run.ts',
        instead: ['await told(history.append(record, state.lastExecution).then(() => true))', ''],
      },
    ],
    breaks: ['I10'],
  },
  {
    name: 'what is accepted is booked twice',
    edits: [
      {
        file: 'pipeline/books.ts',
        instead: [
          'account.endings[ending] += urls',
          "account.endings[ending] += ending === 'accepted' ? urls * 2 : urls",
        ],
      },
    ],
    breaks: ['I10'],
  },
  {
    name: 'whoever comes first in the list always runs first',
    edits: [
      {
        file: 'pipeline/scheduler.ts',
        instead: ['return inTurn(due, ({ id }) => held.get(id)?.startedAt ?? 0)', 'return due'],
      },
    ],
    breaks: ['I13'],
    story: 'a site that is never through before one that is small',
  },
  {
    name: 'a cursor is saved before what it covers was submitted',
    edits: [
      {
        file: 'pipeline/crawl-site.ts',
        instead: [
          'await onSlice(slice)\n          durable = reading ?? durable',
          'durable = reading ?? durable\n          await onSlice(slice)',
        ],
      },
      {
        file: 'pipeline/interrupted-run.ts',
        instead: ['Object.fromEntries(channels.map(({ id }) => [id, 0]))', '{}'],
      },
    ],
    breaks: ['I4'],
    story: 'an index and an engine so slow that the lease is renewed meanwhile',
  },
  {
    name: 'only the first batch of a run counts against the day',
    edits: [
      {
        file: 'pipeline/engine-lane.ts',
        instead: ['await afterBatch(accepted)', 'if (at === 0) await afterBatch(accepted)'],
      },
    ],
    breaks: ['I3'],
    story: 'three batches for Bing',
  },
  {
    name: 'a spoiled count of the day is taken for none',
    edits: [
      {
        file: 'records/quota-manager.ts',
        instead: [
          "return { used: 0, lastUpdate: '', exhausted: true, unreadable: true }",
          "return { used: 0, lastUpdate: '' }",
        ],
      },
    ],
    breaks: ['I3'],
    story: 'a count of the day that somebody spoiled',
  },
  {
    name: 'every retry comes after one second',
    edits: [
      {
        file: 'pipeline/open-channels.ts',
        instead: ['settings.waits.retryBaseMs * 2 ** nth', 'settings.waits.retryBaseMs'],
      },
    ],
    breaks: ['I9'],
  },
  {
    name: 'Bing’s own word for too many requests is taken for trouble at Bing',
    edits: [
      {
        file: 'channels/bing/response-policy.ts',
        instead: ["[4, 'throttled'],\n  [5, 'throttled']", "[4, 'server'],\n  [5, 'server']"],
      },
    ],
    breaks: ['I9'],
    story: 'Bing is busy',
  },
  {
    name: 'what one engine refuses is kept from the others',
    edits: [
      {
        file: 'marks/url-cache.ts',
        instead: [
          '.reject(url.fingerprint, url.lastmod, this.layers.bits[endpoint] ?? 0, life)',
          '.reject(url.fingerprint, url.lastmod, this.layers.bits.reduce((all, bit) => all | bit, 0), life)',
        ],
      },
    ],
    breaks: ['I1'],
  },
  {
    name: 'what an engine refused by name is sent there again by every run',
    edits: [
      {
        file: 'pipeline/engine-lane.ts',
        instead: ['for (const row of rows) this.options.marks.reject(row, this.options.index)', ''],
      },
    ],
    breaks: ['I7'],
  },
  {
    name: 'nobody is told why a URL was refused',
    edits: [
      { file: 'pipeline/run-site.ts', instead: ['await pendingUrls.write(site.id, list)', 'void list'] },
    ],
    breaks: ['I1'],
    story: 'bulk with URLs that engines refuse',
  },
  {
    name: 'each run begins the history anew',
    edits: [
      {
        file: 'records/execution-log.ts',
        instead: ['[record, ...completed(others, earlier)]', '[record]'],
      },
    ],
    breaks: ['I10'],
  },
  {
    name: 'a run is taken for dead and told of though its record is there',
    edits: [
      { file: 'records/execution-log.ts', instead: ['if (holds(known, record.runId)) return false', ''] },
    ],
    breaks: ['I10'],
    story: 'one file, one engine, one by one',
  },
  {
    name: 'Bing is asked without a key',
    edits: [
      {
        file: 'channels/bing/bing-submitter.ts',
        instead: ['encodeURIComponent(key)', "''"],
      },
    ],
    breaks: ['I2'],
  },
  {
    name: 'the owner is shown the keys of a site',
    edits: [{ file: 'channels/show-site.ts', instead: ['?? MASK', '?? value.reveal()'] }],
    breaks: ['I6'],
  },
  {
    name: 'any token opens the door',
    edits: [{ file: 'api/doors.ts', instead: ['return difference === 0', 'return difference >= 0'] }],
    breaks: ['I15'],
  },
  // From here on: bugs that the simulation found, put back.
  {
    name: 'the lease of a dead run is written over before it is told of',
    edits: [
      {
        file: 'pipeline/perform-run.ts',
        instead: ['  const release = await createRunLeases(ports).hold(holder)\n  try {', '  try {'],
      },
      {
        file: 'pipeline/perform-run.ts',
        instead: [
          '  // Before the lease of the dead one is written over',
          '  const release = await createRunLeases(ports).hold(holder)\n  //',
        ],
      },
    ],
    breaks: ['I10'],
    story: 'after a run that died',
  },
  {
    name: 'a lease by a clock that is a minute ahead counts as absent',
    edits: [
      {
        file: 'records/run-lease.ts',
        instead: ['const CLOCK_SKEW_MS = 300_000', 'const CLOCK_SKEW_MS = 5_000'],
      },
      {
        file: 'records/run-lease.ts',
        instead: [
          '    const atMost = (moment',
          '    if (lease !== null) return null\n    const atMost = (moment',
        ],
      },
    ],
    breaks: ['I10'],
    story: 'after a run that died, by a clock that is minutes ahead',
  },
  {
    name: 'the quota of a day is written twice a second',
    edits: [
      {
        file: 'records/quota-manager.ts',
        instead: ['const MIN_WRITE_GAP_MS = 1_000', 'const MIN_WRITE_GAP_MS = 0'],
      },
    ],
    breaks: ['I8'],
    story: 'Bing allows less than was thought, and that comes out among URLs it refuses',
  },
  {
    name: 'any lastmod before the reading means that a file has not changed since',
    edits: [
      {
        file: 'sitemap/known-files.ts',
        instead: ['file.lastChange !== lastChange', 'lastChange >= file.scannedAt'],
      },
    ],
    breaks: ['I4'],
    story: 'an index by a clock that is hours behind, skipped where nothing changed',
  },
]
