import { request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly retryAfter: number
}

/** Calls the local Worker. Not `fetch`: a run may take longer than the five minutes that waits for headers. */
export function call(
  url: string,
  token: string,
  options: { method?: string; body?: unknown } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const outgoing = request(url, { method: options.method ?? 'GET', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        try {
          const body = JSON.parse(text) as Record<string, unknown>
          const retryAfter = Number(response.headers['retry-after'] ?? 1)
          resolve({ status: response.statusCode ?? 0, body, retryAfter })
        } catch {
          reject(new Error(`The Worker answered ${response.statusCode} with something that is not JSON`))
        }
      })
    })
    outgoing.on('error', reject)
    outgoing.end(options.body === undefined ? undefined : JSON.stringify(options.body))
  })
}
