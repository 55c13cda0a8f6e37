import type { RequestHead } from './http-kit'
import type { AcceptedUrl, LedgerView, SeenRequest, Target, TargetLedger } from './shapes'

export interface OpenEntry {
  carries(urls: number): void
  accept(urls: readonly string[]): void
  /** Only the first call counts; null: nothing was answered. */
  close(status: number | null): void
}

export interface Ledger {
  open(target: Target, head: RequestHead): OpenEntry
  of(target: Target): TargetLedger
  all(): LedgerView
  reset(): void
}

interface Book {
  accepted: AcceptedUrl[]
  requests: SeenRequest[]
  inFlight: number
  maxInFlight: number
}

const emptyBook = (): Book => ({ accepted: [], requests: [], inFlight: 0, maxInFlight: 0 })
const emptyBooks = (): Record<Target, Book> => ({
  a: emptyBook(),
  b: emptyBook(),
  bing: emptyBook(),
  site: emptyBook(),
})

export function createLedger(): Ledger {
  let books = emptyBooks()
  const of = (target: Target) => view(books[target])

  return {
    open: (target, head) => openEntry(books[target], head),
    of,
    all: () => ({ a: of('a'), b: of('b'), bing: of('bing'), site: of('site') }),
    reset() {
      books = emptyBooks()
    },
  }
}

function openEntry(book: Book, head: RequestHead): OpenEntry {
  const seen = seenRequest(head)
  let open = true
  book.requests.push(seen)
  book.inFlight += 1
  book.maxInFlight = Math.max(book.maxInFlight, book.inFlight)

  return {
    carries(urls) {
      seen.urls = urls
    },
    accept(urls) {
      const at = Date.now()
      for (const url of urls) book.accepted.push({ url, at, method: head.method, host: new URL(url).host })
    },
    close(status) {
      if (!open) return
      open = false
      seen.status = status
      book.inFlight -= 1
    },
  }
}

function seenRequest(head: RequestHead): SeenRequest {
  return {
    at: Date.now(),
    method: head.method,
    path: head.path,
    query: Object.fromEntries(head.query),
    rawQuery: head.rawQuery,
    headers: { 'user-agent': head.userAgent, 'content-type': head.contentType },
    status: null,
    urls: 0,
  }
}

function view(book: Book): TargetLedger {
  return {
    accepted: structuredClone(book.accepted),
    acceptedCount: book.accepted.length,
    duplicates: duplicates(book.accepted),
    requests: structuredClone(book.requests),
    maxInFlight: book.maxInFlight,
  }
}

function duplicates(accepted: readonly AcceptedUrl[]): string[] {
  const once = new Set<string>()
  const again = new Set<string>()
  for (const { url } of accepted) (once.has(url) ? again : once).add(url)
  return [...again]
}
