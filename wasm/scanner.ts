// The scanner: bytes of a sitemap in, rows out. One step per byte at most, its whole state in the variables below, so it
// stops and goes on at any byte and no document makes it look at anything twice.
import {
  ASK,
  CHANNELS,
  Count,
  INPUT,
  MAX_DEPTH,
  NO_LASTMOD,
  REPORT,
  ROWS,
  note,
} from './layout'
import {
  closeChild,
  closeEntry,
  fingerprintOf,
  isOutputFull,
  keepEntry,
  openChild,
  openEntry,
  setSeed,
  takeRows,
  writeAnswer,
} from './entry'
import { find, findEither, isBlank, skipBlanks } from './find'
import { addChannel, allocate, beginMarks, consult, openSeen } from './marks'
import {
  SITEMAP,
  URL,
  URLSET,
  copyRootName,
  isLocal,
  isSitemapindex,
  matchPlainName,
  matchesName,
  openName,
  pushName,
  pushPlainName,
  readName,
  rootNameLength,
  setPlainName,
} from './name'
import { setOrigin } from './plain-url'
import {
  Field,
  closeReference,
  continuesReference,
  field,
  forgetValue,
  isNameStart,
  isReferenceWhole,
  openReference,
  refuseReference,
  take,
  takeByte,
} from './value'
import { xxh64 } from './xxh64'

export {
  ASK,
  ASK_BYTES,
  BUCKET_BYTES,
  CHANNELS,
  CHANNEL_BYTES,
  INPUT,
  INPUT_BYTES,
  ORIGIN,
  ORIGIN_BYTES,
  REPORT,
  ROOT_NAME,
  ROWS,
  ROW_BYTES,
  TEXT,
} from './layout'
export { addChannel, allocate, setOrigin, takeRows }

const enum State {
  text,
  lessThan,
  openName,
  tag,
  quoted,
  closeName,
  closeTag,
  reference,
  instruction,
  instructionEnd,
  bang,
  commentStart,
  comment,
  commentDash,
  commentDashes,
  cdataStart,
  cdata,
  cdataBracket,
  cdataBrackets,
  doctypeStart,
  doctype,
  subset,
  doctypeQuoted,
  subsetLess,
  subsetBang,
  subsetDash,
  subsetComment,
  subsetCommentDash,
  subsetCommentDashes,
  subsetInstruction,
  subsetInstructionEnd,
  over,
}

const enum Problem {
  none,
  notASitemap,
  textOutside,
  badTag,
  badEnd,
  badDeclaration,
  secondRoot,
}

const enum Root {
  none,
  urlset,
  sitemapindex,
}

let state: State = State.text
let depth: i32 = 0
let root: Root = Root.none
let inEntry: bool = false
let isSelfClosing: bool = false
let quote: u8 = 0
let isSubset: bool = false
let matched: i32 = 0
let cursor: usize = INPUT
let limit: usize = INPUT
let before: f64 = 0
let problemAt: f64 = 0

/** Makes the seed of a site's fingerprints from its id, which lies in ASK. */
export function open(idLength: i32): void {
  setSeed(xxh64(ASK, idLength, 0))
  openSeen()
}

/** A new document. */
export function begin(): void {
  memory.fill(REPORT, 0, 256)
  beginMarks()
  state = State.text
  depth = 0
  root = Root.none
  inEntry = false
  forgetValue()
  cursor = INPUT
  limit = INPUT
  before = 0
}

export function feed(length: i32): void {
  before += <f64>(limit - INPUT)
  cursor = INPUT
  limit = INPUT + length
}

/** Where the document was left or went wrong, in bytes from its start. */
export function place(): f64 {
  return state == State.over ? problemAt : before + <f64>(limit - INPUT)
}

/** How many elements are open, a half-read tag counted as one. */
export function openElements(): i32 {
  return depth + (state == State.text ? 0 : 1)
}

/** A normalised URL in ASK. Its fingerprint and what is missing lie in the first row. */
export function ask(length: i32, lastmod: f64): i32 {
  const fingerprint = fingerprintOf(ASK, length)
  const answer = consult(fingerprint, lastmod == lastmod ? <i64>lastmod : NO_LASTMOD)
  writeAnswer(ROWS, fingerprint)
  return answer
}

function fail(problem: Problem, at: usize): void {
  note(Count.problem, problem)
  problemAt = before + <f64>(at - INPUT)
  state = State.over
}

/** Reads on. True when the output is full and there may be more input; false when the input is used up. */
export function scan(): bool {
  let at = cursor
  const end = limit
  while (at < end) {
    switch (state) {
      case State.text: {
        at = readText(at, end)
        if (isOutputFull()) {
          cursor = at
          return true
        }
        break
      }
      case State.lessThan: {
        const c: u32 = load<u8>(at)
        if (c == 0x2f) {
          openName()
          state = State.closeName
          at++
        } else if (c == 0x21) {
          state = State.bang
          at++
        } else if (c == 0x3f) {
          state = State.instruction
          at++
        } else if (isNameStart(c)) {
          openName()
          state = State.openName
        } else {
          fail(Problem.badTag, at)
        }
        break
      }
      case State.openName: {
        const from = at
        at = readName(at, end)
        if (depth == 0) copyRootName(from, at)
        if (at == end) break
        const c: u32 = load<u8>(at)
        if (c == 0x3e) {
          at++
          openTag(at, false)
          if (isOutputFull()) {
            cursor = at
            return true
          }
        } else if (c == 0x2f || isBlank(c)) {
          isSelfClosing = false
          state = State.tag
        } else {
          fail(Problem.badTag, at)
        }
        break
      }
      case State.tag: {
        const c: u32 = load<u8>(at)
        at++
        if (c == 0x3e) {
          openTag(at, isSelfClosing)
          if (isOutputFull()) {
            cursor = at
            return true
          }
        } else if (c == 0x22 || c == 0x27) {
          quote = <u8>c
          isSelfClosing = false
          state = State.quoted
        } else if (c == 0x3c) {
          fail(Problem.badTag, at - 1)
        } else {
          isSelfClosing = c == 0x2f
        }
        break
      }
      case State.quoted: {
        at = findEither(at, end, quote, 0x3c)
        if (at == end) break
        if (load<u8>(at) == 0x3c) fail(Problem.badTag, at)
        else state = State.tag
        at++
        break
      }
      case State.closeName: {
        at = readName(at, end)
        if (at == end) break
        if (load<u8>(at) == 0x3e) {
          at++
          closeTag(at)
          if (isOutputFull()) {
            cursor = at
            return true
          }
        } else {
          state = State.closeTag
        }
        break
      }
      case State.closeTag: {
        at = skipBlanks(at, end)
        if (at == end) break
        if (load<u8>(at) == 0x3e) {
          at++
          closeTag(at)
          if (isOutputFull()) {
            cursor = at
            return true
          }
        } else {
          fail(Problem.badTag, at)
        }
        break
      }
      case State.reference: {
        const c: u32 = load<u8>(at)
        if (c == 0x3b && isReferenceWhole()) {
          closeReference()
          state = State.text
          at++
        } else if (continuesReference(c)) {
          at++
        } else {
          refuseReference()
          state = State.text
        }
        break
      }
      default: {
        at = state < State.doctypeStart ? readSpecial(at, end) : readDoctype(at, end)
        break
      }
    }
  }
  cursor = at
  keepEntry()
  return false
}

/** Text, and the tags between texts as long as they are as plain as nearly all tags of all sitemaps. */
function readText(from: usize, end: usize): usize {
  let at = from
  while (at < end) {
    if (load<u8>(at) != 0x3c) {
      if (depth == 0) {
        at = readOutside(at, end)
        if (state == State.over) return end
      } else if (field != Field.none && depth == 3) {
        const start = at
        at = findEither(at, end, 0x3c, 0x26)
        take(start, at)
        if (at < end && load<u8>(at) == 0x26) {
          openReference()
          state = State.reference
          return at + 1
        }
      } else {
        at = find(at, end, 0x3c)
      }
      if (at == end) return at
    }
    if (depth == 0 || depth >= MAX_DEPTH || end - at < 32) break
    if (load<u8>(at, 1) == 0x2f) {
      const count = matchPlainName(depth - 1, at + 2)
      if (count == 0) break
      at += count + 3
      closeElement()
      if (depth < 2 && isOutputFull()) return at
    } else {
      const name = v128.load(at, 1)
      const count = countLetters(name)
      if (count - 1 > 14 || load<u8>(at + count, 1) != 0x3e) break
      pushPlainName(depth, name, count)
      at += count + 2
      if (depth < 3) {
        setPlainName(at - count - 1, count)
        openElement(at)
      } else {
        depth++
      }
    }
  }
  if (at == end) return at
  state = State.lessThan
  return at + 1
}

/** How many small letters these bytes begin with. */
@inline
function countLetters(bytes: v128): u32 {
  const letters = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x61)), i8x16.splat(26))
  return ctz(~i8x16.bitmask(letters))
}

/** Before and after the root there is only white space, and at the start a byte order mark. */
function readOutside(from: usize, end: usize): usize {
  let at = from
  for (; at < end; at++) {
    const c: u32 = load<u8>(at)
    if (c == 0x3c) break
    if (isBlank(c) || (root == Root.none && (c == 0xef || c == 0xbb || c == 0xbf))) continue
    fail(Problem.textOutside, at)
    return end
  }
  return at
}

@inline
function openTag(at: usize, isWhole: bool): void {
  state = State.text
  if (depth < MAX_DEPTH) pushName(depth)
  openElement(at)
  if (isWhole) closeElement()
}

@inline
function openElement(at: usize): void {
  depth++
  if (depth == 3) {
    if (inEntry) openChild()
  } else if (depth == 2) {
    inEntry = isLocal(root == Root.urlset ? URL : SITEMAP)
    openEntry()
  } else if (depth == 1) {
    openRoot(at)
  }
}

function openRoot(at: usize): void {
  if (root != Root.none) {
    fail(Problem.secondRoot, at)
    return
  }
  root = isLocal(URLSET) ? Root.urlset : isSitemapindex() ? Root.sitemapindex : Root.none
  note(Count.root, root)
  if (root != Root.none) return
  note(Count.rootName, rootNameLength())
  fail(Problem.notASitemap, at)
}

@inline
function closeTag(at: usize): void {
  if (depth == 0 || (depth <= MAX_DEPTH && !matchesName(depth - 1))) {
    fail(Problem.badEnd, at)
    return
  }
  state = State.text
  closeElement()
}

@inline
function closeElement(): void {
  if (depth == 3) {
    if (field != Field.none) closeChild()
  } else if (depth == 2 && inEntry) {
    closeEntry(root == Root.sitemapindex)
    inEntry = false
  }
  depth--
}

/** Comments, CDATA and processing instructions. */
function readSpecial(from: usize, end: usize): usize {
  let at = from
  const c: u32 = load<u8>(at)
  switch (state) {
    case State.instruction: {
      at = find(at, end, 0x3f)
      if (at == end) return at
      state = State.instructionEnd
      break
    }
    case State.instructionEnd: {
      if (c == 0x3e) state = State.text
      else if (c != 0x3f) state = State.instruction
      break
    }
    case State.bang: {
      matched = 0
      if (c == 0x2d) state = State.commentStart
      else if (c == 0x5b && depth > 0) state = State.cdataStart
      else if ((c | 0x20) == 0x64 && root == Root.none) state = State.doctypeStart
      else fail(Problem.badDeclaration, at)
      break
    }
    case State.commentStart: {
      if (c == 0x2d) state = State.comment
      else fail(Problem.badDeclaration, at)
      break
    }
    case State.comment: {
      at = find(at, end, 0x2d)
      if (at == end) return at
      state = State.commentDash
      break
    }
    case State.commentDash: {
      state = c == 0x2d ? State.commentDashes : State.comment
      break
    }
    case State.commentDashes: {
      if (c == 0x3e) state = State.text
      else if (c != 0x2d) state = State.comment
      break
    }
    case State.cdataStart: {
      if (c != <u32>((0x5b4154414443 >> (<u64>matched << 3)) & 0xff)) fail(Problem.badDeclaration, at)
      else if (++matched == 6) state = State.cdata
      break
    }
    case State.cdata: {
      at = find(at, end, 0x5d)
      if (isTaking()) take(from, at)
      if (at == end) return at
      state = State.cdataBracket
      break
    }
    case State.cdataBracket: {
      if (c == 0x5d) {
        state = State.cdataBrackets
        break
      }
      if (isTaking()) takeByte(0x5d)
      state = State.cdata
      return at
    }
    default: {
      if (c == 0x3e) {
        state = State.text
        break
      }
      if (isTaking()) takeByte(0x5d)
      if (c == 0x5d) break
      if (isTaking()) takeByte(0x5d)
      state = State.cdata
      return at
    }
  }
  return at + 1
}

function isTaking(): bool {
  return field != Field.none && depth == 3
}

/** A DOCTYPE is stepped over: nothing it declares is ever used. */
function readDoctype(from: usize, end: usize): usize {
  const c: u32 = load<u8>(from)
  switch (state) {
    case State.over:
      return end
    case State.doctypeStart: {
      if ((c | 0x20) != <u32>((0x65707974636f >> (<u64>matched << 3)) & 0xff)) fail(Problem.badDeclaration, from)
      else if (++matched == 6) state = State.doctype
      break
    }
    case State.doctype: {
      isSubset = false
      if (c == 0x3e) state = State.text
      else if (c == 0x5b) state = State.subset
      else if (c == 0x22 || c == 0x27) openQuote(c)
      break
    }
    case State.subset: {
      isSubset = true
      if (c == 0x5d) state = State.doctype
      else if (c == 0x3c) state = State.subsetLess
      else if (c == 0x22 || c == 0x27) openQuote(c)
      break
    }
    case State.doctypeQuoted: {
      const at = find(from, end, quote)
      if (at == end) return at
      state = isSubset ? State.subset : State.doctype
      return at + 1
    }
    case State.subsetLess: {
      state = c == 0x21 ? State.subsetBang : c == 0x3f ? State.subsetInstruction : State.subset
      break
    }
    case State.subsetBang: {
      state = c == 0x2d ? State.subsetDash : State.subset
      break
    }
    case State.subsetDash: {
      state = c == 0x2d ? State.subsetComment : State.subset
      break
    }
    case State.subsetComment: {
      const at = find(from, end, 0x2d)
      if (at == end) return at
      state = State.subsetCommentDash
      return at + 1
    }
    case State.subsetCommentDash: {
      state = c == 0x2d ? State.subsetCommentDashes : State.subsetComment
      break
    }
    case State.subsetCommentDashes: {
      if (c == 0x3e) state = State.subset
      else if (c != 0x2d) state = State.subsetComment
      break
    }
    case State.subsetInstruction: {
      if (c == 0x3f) state = State.subsetInstructionEnd
      break
    }
    default: {
      if (c == 0x3e) state = State.subset
      else if (c != 0x3f) state = State.subsetInstruction
    }
  }
  return from + 1
}

function openQuote(c: u32): void {
  quote = <u8>c
  state = State.doctypeQuoted
}
