// The package's own declaration would bring all of the platform's globals, and those disagree with Node's.
declare module 'cloudflare:workers' {
  export const env: { readonly KV: import('@cloudflare/workers-types').KVNamespace }
}
