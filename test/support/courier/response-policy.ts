import type { EngineAnswer } from '../../../src/channels/send-and-judge'
import type { SubmissionOutcome } from '../../../src/domain/outcome'

export function classify({ status }: EngineAnswer): SubmissionOutcome {
  if (status === 200) return { kind: 'accepted' }
  if (status === 401) return { kind: 'rejected', scope: 'channel', reason: 'token_refused', lasting: true }
  if (status === 422) return { kind: 'rejected', scope: 'url', reason: 'bad_url' }
  return { kind: 'retryable', cause: 'transient', reason: `server_error_${status}` }
}
