import { TextDecoder } from 'node:util'
import { say } from '../../kernel/sentence.ts'
import { BlockText } from './block-text.ts'
import { DocumentError } from './document-error.ts'
import type { DocumentLimits, DocumentText } from './parsed-document.ts'

/** A control word with its number and one blank, a byte in hex, a control symbol, a brace, or plain text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi
/** Groups that contain no text of the document. */
const SKIPPED = new Set(
  `fonttbl colortbl stylesheet info pict object fldinst themedata datastore latentstyles listtable listoverridetable
  rsidtbl generator xmlnstbl header headerl headerr headerf footer footerl footerr footerf nonshppict`.split(/\s+/),
)
const DEPTH_LIMIT = 2000
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: ' ',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  '~': '\u00a0',
  _: '\u2011',
}

/** The text of a Rich Text file: paragraphs and table cells. @throws {DocumentError} */
export function rtfText(bytes: Buffer, limits: DocumentLimits): DocumentText {
  const rtf = bytes.toString('latin1')
  if (!rtf.trimStart().startsWith('{\\rtf')) throw new DocumentError('failed', say`The file is not a Rich Text file.`)
  const decoder = decoderOf(/\\ansicpg(\d{3,5})/.exec(rtf.slice(0, 4096))?.[1])
  const out = new BlockText(limits.characters)
  const groups: { skip: boolean; fallback: number }[] = []
  let group = { skip: false, fallback: 1 }
  /** Fallback characters to skip, for one just given as Unicode. */
  let ignore = 0
  let pending: number[] = []
  const flush = () => {
    if (pending.length > 0) out.text(decoder.decode(Uint8Array.from(pending)))
    pending = []
  }
  const add = (text: string) => {
    flush()
    if (!group.skip) out.text(text)
  }
  for (const [, word, number, hex, symbol, brace, plain] of rtf.matchAll(TOKEN)) {
    if (out.full) break
    if (hex !== undefined) {
      if (ignore > 0) ignore--
      else if (!group.skip) pending.push(Number.parseInt(hex, 16))
    } else if (plain !== undefined) {
      const rest = plain.slice(ignore)
      ignore = Math.max(0, ignore - plain.length)
      flush()
      if (!group.skip) for (const piece of rest.matchAll(/[\x80-\xff]+|[^\x80-\xff]+/g)) addPlain(piece[0])
    } else if (brace === '{') {
      flush()
      if (groups.length >= DEPTH_LIMIT)
        throw new DocumentError('failed', say`Its content is nested too deeply to be read.`)
      groups.push(group)
      group = { ...group }
    } else if (brace === '}') {
      flush()
      ignore = 0
      group = groups.pop() ?? group
    } else if (symbol === '*') group.skip = true
    else if (symbol !== undefined) add(CHARACTERS[symbol] ?? (/[\\{}]/.test(symbol) ? symbol : ''))
    else if (word !== undefined) control(word, number)
  }
  flush()
  return out.result()

  function addPlain(text: string): void {
    out.text(text.charCodeAt(0) < 0x80 ? text : decoder.decode(Buffer.from(text, 'latin1')))
  }

  function control(word: string, number: string | undefined): void {
    if (SKIPPED.has(word)) group.skip = true
    else if (word === 'uc') group.fallback = Math.min(Math.max(Number(number ?? 1), 0), 16)
    else if (word === 'u') {
      add(String.fromCharCode(Number(number ?? 0) & 0xffff))
      ignore = group.fallback
    } else if (word in CHARACTERS) add(CHARACTERS[word]!)
    else if (group.skip) return
    else if (word === 'par' || word === 'line' || word === 'sect' || word === 'page' || word === 'row') {
      flush()
      out.line()
    } else if (word === 'cell' || word === 'nestcell') add(' | ')
  }
}

function decoderOf(codePage: string | undefined): TextDecoder {
  const names: Readonly<Record<string, string>> = {
    932: 'shift_jis',
    936: 'gbk',
    949: 'euc-kr',
    950: 'big5',
    866: 'ibm866',
  }
  try {
    return new TextDecoder(names[codePage ?? ''] ?? `windows-${codePage ?? '1252'}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
