import type { AlertReason } from '../alerts/alert'
import type { RunError } from '../domain/execution-record'
import type { CrawlReport } from '../sitemap/crawl-books'
import type { Participant } from './open-channels'

/** Above this share of failures somebody should know. */
const MAX_FAILURE_RATE = 0.1

/** Codes of errors that stop a whole channel until somebody acts. */
const ALARMING = /^key_file_(?:missing|wrong|unreachable)$|^marks_not_saved$|_switched_off$|_broke_off$/

/** Everything about a run that is worth an alert. Pure. */
export function alertReasons({
  participants,
  crawl,
  errors,
}: {
  readonly participants: readonly Participant[]
  readonly crawl: CrawlReport
  readonly errors: readonly RunError[]
}): AlertReason[] {
  const all = [...errors, ...participants.flatMap(({ run }) => run.books.errors())]
  return [
    ...participants.flatMap(failureRate),
    ...(crawl.rootsFailed > 0 ? [unreachable(crawl)] : []),
    ...all
      .filter(({ code }) => ALARMING.test(code))
      .map(({ code, message, advice }) => ({ code, message, ...(advice === undefined ? {} : { advice }) })),
  ]
}

function failureRate({ channel, run: { books } }: Participant): AlertReason[] {
  const rate = books.failureRate()
  if (rate <= MAX_FAILURE_RATE) return []
  const count = books.count('failed') + books.count('rejected')
  const of = count + books.count('accepted')
  const errors = books.errors()
  const causes = errors.map(({ message }) => message).join('; ')
  const advice = [...new Set(errors.flatMap((error) => error.advice ?? []))].join('; ')
  return [
    {
      code: 'failure_rate',
      message: `${channel.title}: ${count} of ${of} submissions failed (${Math.round(rate * 100)} %): ${causes}`,
      count,
      advice:
        advice === '' ? 'failed URLs go first in the next run; look at the history for the rest' : advice,
    },
  ]
}

function unreachable({ errors, filesRead }: CrawlReport): AlertReason {
  const what = filesRead > 0 ? 'a fallback was read instead' : 'nothing was read'
  return {
    code: 'sitemap_unreachable',
    message: `the sitemap could not be read, ${what}: ${errors[0]?.message ?? 'no answer'}`,
    advice: 'open sitemapUrl in a browser: it must answer with an XML sitemap',
  }
}
