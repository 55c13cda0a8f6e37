/** Enough for any engine's words; a larger body is somebody's error page or an attack. */
const MAX_ANSWER_BYTES = 64 * 1024

/** The first 64 KiB of a body as text; the rest is never downloaded. */
export async function readText(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    const rest = value.subarray(0, MAX_ANSWER_BYTES - bytes)
    bytes += rest.length
    text += decoder.decode(rest, { stream: true })
    if (bytes === MAX_ANSWER_BYTES) {
      await reader.cancel()
      return text
    }
  }
}
