import { describe, expect, it } from 'vitest'
import { summary } from '../../../scripts/start/summary'
import { HOOK, KEY, openShop } from '../../support/pretend-internet'

const BING_KEY = 'bing-key-0123456789'
const WORDS = `ERROR!!! \u001b[2J\u001b]0;x\u0007 no\r\n\u202egood\u2028 \u009b31m\ud800 ${KEY} ${BING_KEY} end`
/** What a terminal would take for an order, or a reader for another line. */
const ORDERS = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

describe('what an engine says', () => {
  it.each([
    ['in a refusal that switches it off', 14],
    ['in one of the batch', 8],
    ['in a failure', 1],
  ])('%s carries neither keys nor orders to a terminal into records, answers, alerts and the screen', async (_, ErrorCode) => {
    const shop = openShop({
      env: { BING_ENABLED: 'true', BING_API_KEY: BING_KEY, WEBHOOK_URL: HOOK, MAX_RETRIES: '0' },
    })
    const body = JSON.stringify({ ErrorCode, Message: WORDS })
    shop.hosts['ssl.bing.com'] = () => ({ status: 400, body })
    const record = await shop.run()
    expect(record.bingStats.error).toContain('end')

    const texts: string[] = [...shop.seen('hooks.example').map((hook) => hook.body)]
    for (const { message, advice = '' } of record.errors) texts.push(message, advice)
    for (const key of (await shop.store.list('sites:')).keys)
      texts.push((await shop.store.getText(key)) ?? '')
    for (const path of ['/history', '/status?site=shop.example', '/api/sites/shop.example']) {
      texts.push(await (await shop.call(path)).text())
    }
    for (const line of summary(record).split('\n')) texts.push(line)
    for (const text of texts) {
      expect(text).not.toMatch(ORDERS)
      // In JSON they would stand as escapes.
      expect(text).not.toMatch(/\\u00[019]|\\u202|\\ud8|\\[rnbf]/i)
      expect(text).not.toContain(KEY)
      expect(text).not.toContain(BING_KEY)
    }
  })
})

describe('what a sitemap says', () => {
  it('carries no orders to a terminal into what a check answers', async () => {
    const shop = openShop()
    const body = '<root\u202e\u009b\u2028x></root>'
    shop.hosts['shop.example'] = () => ({ status: 200, body })
    const answer = await (await shop.call('/api/sites/shop.example/check')).text()
    expect(answer).toContain('its root is <root x>')
    expect(answer).not.toMatch(ORDERS)
  })
})
