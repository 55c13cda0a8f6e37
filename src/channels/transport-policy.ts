import type { SubmissionOutcome } from '../domain/outcome'
import type { TransportFailure } from '../net/http-client'

/** What it means that there was no answer at all. The same for every engine. */
export function classifyTransport(failure: { readonly reason: TransportFailure }): SubmissionOutcome {
  switch (failure.reason) {
    case 'budget':
      return { kind: 'deferred', reason: 'budget' }
    case 'guard':
    case 'redirects':
      return { kind: 'rejected', scope: 'channel', reason: 'address_refused' }
    case 'network':
    case 'timeout':
      return { kind: 'retryable', cause: 'transient', reason: failure.reason }
  }
}
