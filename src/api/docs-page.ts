import { REASONS } from '../domain/reasons'

type Json = Record<string, unknown>

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters: readonly {
    name: string
    in: string
    required: boolean
    description?: string
    schema: Json
  }[]
  readonly requestBody?: { content: Readonly<Record<string, { schema: Json; example: unknown }>> }
  readonly responses: Readonly<
    Record<string, { description: string; content: Readonly<Record<string, { example?: unknown }>> }>
  >
}

export const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem; border-top: 1px solid #8886; padding-top: 1rem }
h2 code { font-size: 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884 }
pre { overflow: auto; padding: .75rem; border: 1px solid #8886; border-radius: .3rem; font-size: .85rem }
nav li { list-style: none }
nav ul { padding: 0 }
`

/** The description as a page to read: no script, nothing from elsewhere. */
export function docsPage(document: Json): string {
  const info = document.info as { title: string; version: string; description: string }
  const paths = document.paths as Record<string, Record<string, Operation>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const contents = operations.map(({ path, method, operation }) => {
    const link = `<a href="#${anchor(method, path)}"><code>${method} ${escapeHtml(path)}</code></a>`
    return `<li>${link} ${escapeHtml(operation.summary)}</li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} ${escapeHtml(info.version)}: API</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}: API</h1>
<p>${escapeHtml(info.description)}</p>
<p>Send <code>Authorization: Bearer ADMIN_TOKEN</code> with everything that is not marked public. Bodies are JSON of at
most 64 KiB. Errors are <code>application/problem+json</code> with <code>status</code>, <code>code</code>,
<code>detail</code> and, where one is at fault, <code>field</code>. The same description for machines is at
<code>/openapi.json</code>; that one needs the token, so a browser gets 401 there.</p>
<nav><ul>
${contents.join('\n')}
<li><a href="#codes">Reason codes</a></li>
</ul></nav>
${operations.map(({ path, method, operation }) => section(method, path, operation)).join('\n')}
<h2 id="codes">Reason codes</h2>
<p>They stand in <code>errors[].code</code> and <code>leftOut</code> of a record, in the pending list, in what is known of a
URL and in a check. They are stable.</p>
${table(
  ['code', 'meaning'],
  REASONS.map(({ code, meaning }) => [`<code>${escapeHtml(code)}</code>`, escapeHtml(meaning)]),
)}
</body>
</html>
`
}

function section(method: string, path: string, operation: Operation): string {
  const { summary, description, security, parameters, requestBody, responses } = operation
  const parts = [
    `<h2 id="${anchor(method, path)}"><code>${method} ${escapeHtml(path)}</code></h2>`,
    `<p>${escapeHtml(summary)}.${security?.length === 0 ? ' Public.' : ''} ${inline(description ?? '')}</p>`,
  ]
  if (parameters.length > 0) {
    const rows = parameters.map(({ name, required, description: says = '', schema }) => [
      `<code>${escapeHtml(name)}</code>${required ? ' (required)' : ''}`,
      escapeHtml(rangeOf(schema)),
      inline(says),
    ])
    parts.push(table(['parameter', 'value', 'meaning'], rows))
  }
  for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
    const needed = (schema.required as readonly string[] | undefined) ?? []
    const rows = Object.entries(schema.properties as Record<string, Json>).map(([name, field]) => [
      `<code>${escapeHtml(name)}</code>${needed.includes(name) ? ' (required)' : ''}`,
      escapeHtml(rangeOf(field)),
      inline(String(field.description ?? '')),
    ])
    parts.push(table(['field', 'value', 'meaning'], rows), sample(example))
  }
  for (const [status, { description: says, content }] of Object.entries(responses)) {
    const example = Number(status) < 400 ? Object.values(content)[0]?.example : undefined
    parts.push(`<p><strong>${status}</strong> ${inline(says)}</p>`)
    if (example !== undefined) parts.push(sample(example))
  }
  return parts.join('\n')
}

function rangeOf({ type, anyOf, enum: choices, minimum, maximum, default: fallback }: Json): string {
  if (Array.isArray(anyOf)) return anyOf.map(rangeOf).join(' | ')
  const kind = Array.isArray(choices) ? choices.join(' | ') : String(type ?? 'any')
  const range = minimum === undefined ? '' : ` ${minimum}–${maximum}`
  return `${kind}${range}${fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`}`
}

const sample = (example: unknown): string => {
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return `<pre>${escapeHtml(text)}</pre>`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>${row(heads, 'th')}${rows.map((cells) => row(cells, 'td')).join('\n')}</table>`
}

const anchor = (method: string, path: string): string =>
  `${method}-${path}`.toLowerCase().replace(/[^a-z]+/g, '-')

/** Escaped text in which `code` is shown as such. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
