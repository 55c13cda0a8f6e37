import type { ScannerModule } from '../ports'
import type { ScanChannel } from './scanner'

interface Constant {
  readonly value: number
}

/** What the compiled module offers; `wasm/scanner.ts` is its source, `wasm/layout.ts` says what the places hold. */
interface CoreExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly INPUT: Constant
  readonly INPUT_BYTES: Constant
  readonly ASK: Constant
  readonly ASK_BYTES: Constant
  readonly ORIGIN: Constant
  readonly ORIGIN_BYTES: Constant
  readonly REPORT: Constant
  readonly ROOT_NAME: Constant
  readonly ROWS: Constant
  readonly ROW_BYTES: Constant
  readonly TEXT: Constant
  readonly CHANNELS: Constant
  readonly CHANNEL_BYTES: Constant
  readonly BUCKET_BYTES: Constant
  allocate(bytes: number): number
  addChannel(log2: number, today: number, ttlDays: number): number
  setOrigin(length: number): void
  open(idLength: number): void
  begin(): void
  feed(length: number): void
  /** 1 when the output is full, 0 when the input is used up. */
  scan(): number
  takeRows(): number
  ask(length: number, lastmod: number): number
  place(): number
  openElements(): number
}

/** The one thing of WebAssembly that is needed, so that no platform's types are. */
declare const WebAssembly: { readonly Instance: new (module: ScannerModule) => { readonly exports: unknown } }

/** The smallest table there is: a header of zeros and one free slot. */
const NO_MARKS = new Uint8Array(96)

const encoder = new TextEncoder()

/** An instance of the compiled scanner with a site's origin and marks in its memory. */
export class ScannerCore {
  readonly exports: CoreExports
  #bytes = new Uint8Array(0)
  #view = new DataView(this.#bytes.buffer)

  constructor(module: ScannerModule) {
    this.exports = new WebAssembly.Instance(module).exports as CoreExports
  }

  /** The memory as it is now: growing it leaves older views empty. */
  get bytes(): Uint8Array {
    this.#refresh()
    return this.#bytes
  }

  get view(): DataView {
    this.#refresh()
    return this.#view
  }

  /** Everything is in place after this; nothing may be added. */
  load(options: { siteId: string; origin: string; channels: readonly ScanChannel[] }): void {
    const { exports } = this
    for (const [index, channel] of options.channels.entries()) this.#addChannel(channel, index)
    exports.setOrigin(this.write(options.origin, exports.ORIGIN.value, exports.ORIGIN_BYTES.value))
    exports.open(this.write(options.siteId, exports.ASK.value, exports.ASK_BYTES.value))
  }

  /** Puts text into the memory and returns its length there. */
  write(text: string, at: number, room: number): number {
    const { read, written } = encoder.encodeInto(text, this.bytes.subarray(at, at + room))
    if (read < text.length)
      throw new RangeError(`a text of ${text.length} characters is too long to ask about`)
    return written
  }

  #addChannel({ recent, buckets, bits, today, ttlDays }: ScanChannel, index: number): void {
    // Without buckets the recent table is all there is.
    const images = buckets.length === 0 ? [recent] : buckets
    const log2 = Math.log2(images.length)
    if (!Number.isInteger(log2)) throw new RangeError(`${images.length} buckets: it must be a power of two`)
    const start = this.exports.addChannel(log2, today, ttlDays)
    const wanted = bits.reduce((all, bit) => all | bit, 0)
    const translation = inCallersOrder(bits)
    const channelAt = this.exports.CHANNELS.value + index * this.exports.CHANNEL_BYTES.value
    this.#addTable(buckets.length === 0 ? NO_MARKS : recent, channelAt + 24)
    for (const [bucket, image] of images.entries()) {
      const at = start + bucket * this.exports.BUCKET_BYTES.value
      this.#addTable(image, at)
      const met = this.exports.allocate(Math.ceil(slotsOf(image) / 8))
      this.view.setUint32(at + 8, wanted, true)
      this.view.setUint32(at + 12, met, true)
      this.bytes.set(translation, at + 16)
    }
  }

  /** Copies a table and notes at this place where it lies and how many slots it has. */
  #addTable(image: Uint8Array, at: number): void {
    const table = this.exports.allocate(image.byteLength)
    this.bytes.set(image, table)
    this.view.setUint32(at, table, true)
    this.view.setUint32(at + 4, slotsOf(image) - 1, true)
  }

  #refresh(): void {
    const { buffer } = this.exports.memory
    if (this.#bytes.buffer === buffer) return
    this.#bytes = new Uint8Array(buffer)
    this.#view = new DataView(buffer)
  }
}

function slotsOf(image: Uint8Array): number {
  return 2 ** (image[4] ?? 0)
}

/** For every set of a table's bits the same set with bit 0 for the first endpoint, bit 1 for the second, and so on. */
function inCallersOrder(bits: readonly number[]): Uint8Array {
  const translated = new Uint8Array(256)
  for (const [index, bit] of bits.entries()) {
    for (let set = 0; set < translated.length; set++) {
      if ((set & bit) !== 0) translated[set] = (translated[set] ?? 0) | (1 << index)
    }
  }
  return translated
}
