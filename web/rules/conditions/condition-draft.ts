import type { Condition, Token, ValueTest } from '../../../contract/rule-conditions.ts'

/** What a value may be, as it is chosen in the form; of a whole command its words. */
export type TestKind = 'is' | 'in' | 'range' | 'under' | 'host' | 'absent' | 'argv'
export type PlainType = 'text' | 'number' | 'boolean' | 'null'
export type WordKind = 'text' | 'in' | 'under' | 'range' | 'any' | 'operands'

/** One word of a command while it is edited. `text`: lists have one value a line. */
export interface WordDraft {
  readonly key: number
  readonly kind: WordKind
  readonly text: string
  readonly min: string
  readonly max: string
}
/** A condition while it is edited: everything that was typed stays, whatever is chosen. */
export interface ConditionDraft {
  readonly key: number
  readonly at: string
  readonly kind: TestKind
  /** About each item of a list. */
  readonly each: boolean
  readonly type: PlainType
  readonly text: string
  readonly min: string
  readonly max: string
  /** Of a command: the pointer of its words after the program. */
  readonly args: string
  readonly words: readonly WordDraft[]
}

let last = 0
/** Tells rows of the form apart. */
function nextKey(): number {
  return ++last
}

export function emptyCondition(at: string, more: Partial<ConditionDraft> = {}): ConditionDraft {
  const empty = { kind: 'is', each: false, type: 'text', text: '', min: '', max: '', args: '', words: [] } as const
  return { key: nextKey(), at, ...empty, ...more }
}

export function emptyWord(more: Partial<WordDraft> = {}): WordDraft {
  return { key: nextKey(), kind: 'text', text: '', min: '', max: '', ...more }
}

export function fromCondition(condition: Condition): ConditionDraft {
  if ('argv' in condition) {
    const { argv, tokens } = condition
    return emptyCondition(argv.program, { kind: 'argv', args: argv.args, words: tokens.map(fromToken) })
  }
  const { at } = condition
  if ('absent' in condition) return emptyCondition(at, { kind: 'absent' })
  if ('each' in condition) return emptyCondition(at, { ...fromTest(condition.each), each: true })
  return emptyCondition(at, fromTest(condition))
}

function fromTest(test: ValueTest): Partial<ConditionDraft> {
  if ('is' in test) return { kind: 'is', ...plain(test.is) }
  if ('in' in test) {
    const values = test.in.map(plain)
    return { kind: 'in', type: values[0]!.type, text: values.map(({ text }) => text).join('\n') }
  }
  if ('under' in test) return { kind: 'under', text: test.under.join('\n') }
  if ('host' in test) return { kind: 'host', text: test.host.join('\n') }
  return { kind: 'range', type: 'number', min: numeral(test.min), max: numeral(test.max) }
}

function plain(value: string | number | boolean | null): { type: PlainType; text: string } {
  if (value === null) return { type: 'null', text: '' }
  return typeof value === 'string'
    ? { type: 'text', text: value }
    : { type: typeof value as PlainType, text: `${value}` }
}

function fromToken(token: Token): WordDraft {
  if (typeof token === 'string') return emptyWord({ text: token })
  if ('in' in token) return emptyWord({ kind: 'in', text: token.in.join('\n') })
  if ('under' in token) return emptyWord({ kind: 'under', text: token.under.join('\n') })
  if ('min' in token) return emptyWord({ kind: 'range', min: numeral(token.min), max: numeral(token.max) })
  return emptyWord({ kind: 'any' in token ? 'any' : 'operands' })
}

function numeral(value: number | undefined): string {
  return value === undefined ? '' : `${value}`
}

/** Null while something is missing or is no number. */
export function toCondition(draft: ConditionDraft): Condition | null {
  const { at, kind, each, words } = draft
  if (kind === 'absent') return { at, absent: true }
  if (kind === 'argv') {
    const tokens = words.map(toToken)
    // A program without a name is none; an empty word after it may be meant.
    if (tokens.length === 0 || tokens[0] === '' || tokens.includes(null)) return null
    return { argv: { program: at, args: draft.args }, tokens: tokens as Token[] }
  }
  const test = toTest(kind, draft)
  if (test === null) return null
  return each ? { at, each: test } : { at, ...test }
}

function toTest(
  kind: Exclude<TestKind, 'absent' | 'argv'>,
  { type, text, min, max }: ConditionDraft,
): ValueTest | null {
  if (kind === 'is') {
    const value = toPlain(type, text)
    return value === undefined ? null : { is: value }
  }
  if (kind === 'range') return toRange(min, max)
  const lines = linesOf(text)
  if (lines.length === 0) return null
  if (kind !== 'in') return kind === 'under' ? { under: lines } : { host: lines }
  const values = lines.map((line) => toPlain(type, line))
  return values.some((value) => value === undefined) ? null : { in: values as (string | number | boolean | null)[] }
}

function toPlain(type: PlainType, text: string): string | number | boolean | null | undefined {
  if (type === 'text') return text
  if (type === 'null') return null
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  return toNumber(text)
}

function toRange(min: string, max: string): { min?: number; max?: number } | null {
  const [from, to] = [min, max].map((end) => (end.trim() === '' ? null : toNumber(end)))
  if (from === undefined || to === undefined || (from === null && to === null)) return null
  return { ...(from === null ? {} : { min: from }), ...(to === null ? {} : { max: to }) }
}

function toToken({ kind, text, min, max }: WordDraft): Token | null {
  if (kind === 'text') return text
  if (kind === 'any') return { any: true }
  if (kind === 'operands') return { operands: true }
  if (kind === 'range') {
    const [from, to] = [toNumber(min), toNumber(max)]
    return Number.isInteger(from) && Number.isInteger(to) ? { min: from!, max: to! } : null
  }
  const lines = linesOf(text)
  if (lines.length === 0) return null
  return kind === 'in' ? { in: lines } : { under: lines }
}

function toNumber(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? undefined : value
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
