const PREFIX = 'whsec_'

/** The headers by which a receiver knows an alert again and, with a secret, whom it is from: Standard Webhooks 1.0. */
export async function webhookHeaders(
  message: { readonly id: string; readonly body: string },
  secret: string | null,
  now: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000))
  const headers = { 'webhook-id': message.id, 'webhook-timestamp': timestamp }
  if (secret === null) return headers
  const key = await crypto.subtle.importKey(
    'raw',
    secretBytes(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const signed = new TextEncoder().encode(`${message.id}.${timestamp}.${message.body}`)
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return { ...headers, 'webhook-signature': `v1,${btoa(String.fromCharCode(...signature))}` }
}

/** `whsec_` and base64 as the standard writes it; anything else is taken as it stands. */
function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith(PREFIX)) return new TextEncoder().encode(secret)
  try {
    return Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) => character.charCodeAt(0))
  } catch {
    return new TextEncoder().encode(secret)
  }
}
