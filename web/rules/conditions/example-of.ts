import type { Condition, Token, ValueTest } from '../../../contract/rule-conditions.ts'
import type { Rule } from '../same-rule.ts'
import type { Examples } from './spec-draft.ts'
import { stepsOf, type ToolArgument } from './tool-arguments.ts'

type Plain = Record<string, unknown>

/** One call that a rule would match and one that it would not, made up from its conditions. */
export function examplesOf(rule: Rule, known: readonly ToolArgument[]): Examples {
  const when = rule.when ?? []
  const match: Plain = {}
  const named = new Set(when.flatMap((one) => ('argv' in one ? [one.argv.program, one.argv.args] : [one.at])))
  for (const { at, required, type, choices } of known)
    if (required && !named.has(at)) put(match, at, choices[0] ?? SAMPLE[type])
  for (const condition of when) fill(match, condition)
  const other = structuredClone(match)
  const [first] = when
  if (first !== undefined) breakIt(other, first, known)
  else {
    const left = known.find(({ at, required }) => !required && !(rule.free ?? []).includes(at))
    if (left === undefined) return { match: [match], no_match: [] }
    put(other, left.at, left.type === 'boolean' ? left.fallback !== true : SAMPLE[left.type])
  }
  return { match: [match], no_match: [other] }
}

const SAMPLE: Record<ToolArgument['type'], unknown> = {
  text: 'other',
  number: 1,
  boolean: true,
  list: ['other'],
  other: {},
}

function fill(into: Plain, condition: Condition): void {
  if ('argv' in condition) {
    const [program, ...words] = condition.tokens.map(wordOf)
    put(into, condition.argv.program, program)
    put(into, condition.argv.args, words)
  } else if ('each' in condition) put(into, condition.at, [valueOf(condition.each)])
  else if (!('absent' in condition)) put(into, condition.at, valueOf(condition))
}

function breakIt(into: Plain, condition: Condition, known: readonly ToolArgument[]): void {
  if ('argv' in condition) {
    const [program, ...words] = condition.tokens.map(wordOf)
    const open = condition.tokens.some((token) => typeof token === 'object' && 'operands' in token)
    if (open) put(into, condition.argv.program, `${program}-other`)
    else put(into, condition.argv.args, [...words, 'other'])
  } else if ('absent' in condition) {
    put(into, condition.at, SAMPLE[known.find(({ at }) => at === condition.at)?.type ?? 'text'])
  } else if ('each' in condition) put(into, condition.at, [valueOf(condition.each), otherThan(condition.each)])
  else put(into, condition.at, otherThan(condition))
}

function wordOf(token: Token): string {
  if (typeof token === 'string') return token
  if ('in' in token) return token.in[0]!
  if ('under' in token) return inFolder(token.under[0]!)
  return 'min' in token ? `${token.min}` : 'word'
}

function valueOf(test: ValueTest): unknown {
  if ('is' in test) return test.is
  if ('in' in test) return test.in[0]
  if ('under' in test) return inFolder(test.under[0]!)
  if ('host' in test) return `https://${test.host[0]!.replace(/^\*\./, 'www.')}/`
  return test.min ?? test.max
}

function otherThan(test: ValueTest): unknown {
  if ('under' in test) return '/other'
  if ('host' in test) return 'https://other.invalid/'
  if ('is' in test || 'in' in test) {
    const taken: readonly unknown[] = 'is' in test ? [test.is] : test.in
    const [first] = taken
    if (typeof first === 'boolean') return !first
    if (typeof first === 'number') return Math.max(...taken.filter((one) => typeof one === 'number')) + 1
    return typeof first === 'string' ? `${first}-other` : 'other'
  }
  return test.max === undefined ? (test.min ?? 0) - 1 : test.max + 1
}

function inFolder(folder: string): string {
  return `${folder.replace(/\/$/, '')}/example`
}

function put(into: Plain, pointer: string, value: unknown): void {
  const steps = stepsOf(pointer)
  let at = into
  for (const step of steps.slice(0, -1)) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = {}
    at = at[step] as Plain
  }
  // Names such as `__proto__` are own properties here, too.
  Object.defineProperty(at, steps.at(-1)!, { value, enumerable: true, configurable: true, writable: true })
}
