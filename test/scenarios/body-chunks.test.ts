import { expect, it } from 'vitest'
import { bodyChunks } from '../../src/sitemap/body-chunks'
import { openWorld } from '../support/beckon'

const CHUNK_BYTES = 256 * 1024

async function sizesOf({ body }: Response): Promise<number[]> {
  const sizes: number[] = []
  for await (const chunk of bodyChunks(body as ReadableStream<Uint8Array>)) sizes.push(chunk.byteLength)
  return sizes
}

it('a body from the network comes in pieces of 256 KiB, and the rest of it last', async () => {
  const world = await openWorld({ pages: 0 })
  await world.site({ overrides: { '/large.xml': { body: 'x'.repeat(2 * CHUNK_BYTES + 1_000) } } })
  const large = await fetch(`${world.origin}/large.xml`)
  expect(await sizesOf(large)).toEqual([CHUNK_BYTES, CHUNK_BYTES, 1_000])
  await world.close()
})
