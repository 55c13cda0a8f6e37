import type { Submitter, SubmitterContext } from '../../../src/channels/channel'
import { sendAndJudge } from '../../../src/channels/send-and-judge'
import { classify } from './response-policy'

export function createCourierSubmitter(options: SubmitterContext & { readonly key: string }): Submitter {
  return (endpoint, urls) =>
    sendAndJudge(
      options,
      {
        method: 'POST',
        url: endpoint.address,
        headers: { authorization: `Token ${options.key}` },
        body: urls.join('\n'),
      },
      classify,
    )
}
