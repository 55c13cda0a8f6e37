import { docsPage, STYLE } from '../docs-page'
import { keyFileRoute } from '../key-file'
import { openApi } from '../openapi'
import { type Route, route } from '../route'

/** The description of all routes, for machines and for people. */
export function documents(described: () => readonly Route[]): readonly Route[] {
  const document = () => openApi([...described(), keyFileRoute])
  return [
    route({
      methods: ['GET'],
      path: '/openapi.json',
      summary: 'This description, for machines (OpenAPI 3.1)',
      answers: { 200: { says: 'The description' } },
      handle: ({ c }) => c.json(document()),
    }),
    route({
      methods: ['GET'],
      path: '/docs',
      open: true,
      summary: 'This description, for people',
      answers: { 200: { says: 'A page without scripts', type: 'text/html' } },
      async handle({ c }) {
        const policy = `default-src 'none'; style-src '${await hashOf(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
        c.header('content-security-policy', policy)
        return c.html(docsPage(document()))
      },
    }),
  ]
}

/** Lets the page's own style in and no other. */
async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return `sha256-${btoa(String.fromCharCode(...digest))}`
}
