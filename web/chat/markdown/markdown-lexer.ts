import { Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked'

/** A formula; `display`: on a line of its own. */
export interface MathToken extends Tokens.Generic {
  readonly type: 'math'
  readonly raw: string
  readonly text: string
  readonly display: boolean
}
/** A mark that leads to a note, and the note. */
export interface FootnoteMark extends Tokens.Generic {
  readonly type: 'footnote_mark'
  readonly raw: string
  readonly label: string
}
export interface Footnote extends Tokens.Generic {
  readonly type: 'footnote'
  readonly raw: string
  readonly label: string
  readonly tokens: Token[]
}

/** In characters: a longer formula is shown as it was written. */
const LONGEST = 5000
/** No blank line is in a formula: what follows one can't change what was read before. */
const DISPLAY = /^ {0,3}(?:\$\$((?:(?!\n[ \t]*\n)[^$])+)\$\$|\\\[((?:(?!\n[ \t]*\n|\\\])[\s\S])+)\\\])[ \t]*(?:\n+|$)/
const INLINE =
  /^(?:\\\(((?:(?!\n[ \t]*\n|\\\))[\s\S])+?)\\\)|\$\$([^$\n]+)\$\$|\$(?![\s$])([^$\n]{1,200}?)(?<!\s)\$(?![\w$]))/
const NOTE = /^\[\^([\w-]{1,40})\]:[ \t]*([^\n]+(?:\n(?![ \t]*\n|\[\^)[^\n]+)*)\n*/
const MARK = /^\[\^([\w-]{1,40})\](?!:)/

/**
 * Whether what stands between two dollars is certainly a formula: prices and the variables of a shell stand there more
 * often.
 */
function isFormula(text: string): boolean {
  // A command, a single letter, an index or a power of one.
  if (/\\[a-zA-Z]{2}/.test(text) || /^[a-zA-Z]$/.test(text)) return true
  if (/[a-zA-Z]{2}/.test(text.replace(/\{[^{}]*\}|\b(?:sin|cos|tan|log|ln|exp|max|min|mod)\b/g, ''))) return false
  return /[a-zA-Z)\]}0-9]\s*[_^]\s*[{(a-zA-Z0-9\\+-]/.test(text) || (/[a-zA-Z]/.test(text) && /[=<>+*/≤≥≠∈]/.test(text))
}

function math(raw: string, text: string, display: boolean): MathToken | undefined {
  const source = text.trim()
  return source === '' || source.length > LONGEST ? undefined : { type: 'math', raw, text: source, display }
}

const extensions: TokenizerAndRendererExtension[] = [
  {
    name: 'math_block',
    level: 'block',
    start: (source) => startOf(/\n {0,3}(?:\$\$|\\\[)/, source),
    tokenizer(source) {
      const [raw, dollars, brackets] = DISPLAY.exec(source) ?? []
      return raw === undefined ? undefined : math(raw, dollars ?? brackets ?? '', true)
    },
  },
  {
    name: 'math',
    level: 'inline',
    start: (source) => startOf(/\$|\\\(/, source, 0),
    tokenizer(source) {
      const [raw, round, display, single] = INLINE.exec(source) ?? []
      if (raw === undefined || (single !== undefined && !isFormula(single))) return undefined
      return math(raw, round ?? display ?? single ?? '', false)
    },
  },
  {
    name: 'footnote',
    level: 'block',
    start: (source) => startOf(/\n\[\^/, source),
    tokenizer(source) {
      const [raw, label = '', text = ''] = NOTE.exec(source) ?? []
      if (raw === undefined) return undefined
      const tokens: Token[] = []
      this.lexer.inline(text, tokens)
      return { type: 'footnote', raw, label, tokens } satisfies Footnote
    },
    childTokens: ['tokens'],
  },
  {
    name: 'footnote_mark',
    level: 'inline',
    start: (source) => startOf(/\[\^/, source, 0),
    tokenizer(source) {
      const [raw, label = ''] = MARK.exec(source) ?? []
      return raw === undefined ? undefined : ({ type: 'footnote_mark', raw, label } satisfies FootnoteMark)
    },
  },
]

/**
 * Where a construct may begin: after the line end that `pattern` begins with, or at the match itself. Only in the paragraph
 * at hand: this is asked for each, and the rest of the text may be long.
 */
function startOf(pattern: RegExp, source: string, after = 1): number | undefined {
  const end = source.indexOf('\n\n')
  const at = (end === -1 ? source : source.slice(0, end)).search(pattern)
  return at === -1 ? undefined : at + after
}

const marked = new Marked({ gfm: true, extensions })

/** Markdown as tokens: CommonMark with tables, tasks and struck text, formulas and footnotes. */
export function readTokens(source: string): Token[] {
  return marked.lexer(source)
}
