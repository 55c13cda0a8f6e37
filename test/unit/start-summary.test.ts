import { describe, expect, it } from 'vitest'
import { ProgressBar } from '../../scripts/start/progress-bar'
import { summary } from '../../scripts/start/summary'
import * as examples from '../../src/api/examples'
import type { ExecutionRecord } from '../../src/domain/execution-record'

const recordWith = (fields: Partial<ExecutionRecord>): ExecutionRecord =>
  ({
    ...examples.record,
    engines: { yandex: examples.record.engines.yandex },
    leftOut: {},
    errors: [],
    ...fields,
  }) as ExecutionRecord

describe('the summary of npm start', () => {
  it('names what was found, one line per engine, and what was left out and why', () => {
    expect(summary(recordWith({ leftOut: { other_host: 3 } })).split('\n')).toEqual([
      '1500 URLs in the sitemap: 120 to submit, 1380 already known.',
      '3 left out, other_host: its host is not the host of the site.',
      '',
      'Engine  Total  Accepted  Failed  Waiting  Average ms',
      '────────────────────────────────────────────────────',
      'yandex    120       118       2        0          84',
    ])
  })

  it('says what happens next to what only needs time, and repeats advice', () => {
    const errors = [
      { code: 'server_error_503', message: 'yandex: 2 URLs, server_error_503' },
      { code: 'key_refused', message: 'bing: 2 URLs, key_refused', advice: 'check the key file' },
      { code: 'internal_error', message: 'the run broke off' },
    ]
    expect(summary(recordWith({ errors })).split('\n').slice(-5)).toEqual([
      '! yandex: 2 URLs, server_error_503',
      '  → tried again by the next run',
      '! bing: 2 URLs, key_refused',
      '  → check the key file',
      '! the run broke off',
    ])
  })

  it('of a run that read no sitemap counts nothing and has no table', () => {
    const errors = [{ code: 'sitemap_http_404', message: 'https://a.example/s.xml: HTTP 404', advice: 'x' }]
    expect(summary(recordWith({ status: 'failed', totalUrls: 0, errors }))).toBe(
      'No sitemap was read, nothing was submitted.\n! https://a.example/s.xml: HTTP 404\n  → x',
    )
    expect(summary(recordWith({ totalUrls: 0, engines: {} }))).not.toContain('Engine')
  })

  it('speaks of settings where the site is the environment’s', () => {
    const errors = [
      { code: 'host_mismatch', message: '4 of 5 are on a.example; set `host`', advice: 'see searchEngines' },
    ]
    const record = recordWith({ errors })
    expect(summary(record)).toContain('set `host`\n  → see searchEngines')
    expect(summary(record, { ofEnvironment: true })).toContain(
      'set SITE_HOST\n  → see INDEXNOW_SEARCH_ENGINES',
    )
  })
})

describe('the progress bar', () => {
  it('ends with its run: what runs later is not followed', () => {
    const written: string[] = []
    const out = { isTTY: true, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
    const bar = new ProgressBar(out)
    bar.readLine('{"message":"submitting","submissions":1}')
    bar.readLine('{"message":"url"}')
    bar.end()
    bar.end()
    bar.readLine('{"message":"url"}')
    expect(written.at(-1)).toBe('\n')
    expect(written.filter((text) => text === '\n')).toHaveLength(1)
    expect(written.at(-2)).toMatch(/1\/1$/)
  })
})
