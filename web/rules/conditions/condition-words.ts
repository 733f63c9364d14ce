import type { Condition, Token, ValueTest } from '../../../contract/rule-conditions.ts'
import { currentLanguage, t } from '../../text/i18n.ts'
import type { Rule } from '../same-rule.ts'
import { nameOf } from './tool-arguments.ts'

/** Around what is written as in a rule; `SaidRule` shows it as code. */
const [OPEN, CLOSE] = ['\u0001', '\u0002']

/** A rule with conditions as sentences: when it runs, asks or denies, and what stays open. Values are marked as code. */
export function saidRule({ effect, when = [], unless = [], free = [] }: Rule): string {
  const all = joined(when.map(saidCondition), 'conjunction')
  if (effect === 'allow') {
    const runs = when.length === 0 ? t('condition.allow') : t('condition.allow_when', { when: all })
    if (when.length + free.length === 0) return runs
    const open = free.length === 0 ? '' : t('condition.free', { names: joined(free.map(name), 'conjunction') })
    return [runs, open, t('condition.rest')].filter((sentence) => sentence !== '').join(' ')
  }
  const except = joined(
    unless.map((group) => joined(group.map(saidCondition), 'conjunction')),
    'disjunction',
  )
  if (when.length + unless.length === 0) return t(`condition.${effect}`)
  if (unless.length === 0) return t(`condition.${effect}_when`, { when: all })
  return when.length === 0
    ? t(`condition.${effect}_unless`, { unless: except })
    : t(`condition.${effect}_both`, { when: all, unless: except })
}

function saidCondition(condition: Condition): string {
  if ('argv' in condition) return t('condition.argv', { words: condition.tokens.map(saidToken).join(' ') })
  const { at } = condition
  if ('absent' in condition) return t('condition.absent', { name: name(at) })
  return 'each' in condition
    ? saidTest(t('condition.each', { name: name(at) }), condition.each)
    : saidTest(name(at), condition)
}

function saidTest(subject: string, test: ValueTest): string {
  if ('is' in test) return t('condition.is', { name: subject, value: value(test.is) })
  if ('in' in test) return t('condition.in', { name: subject, values: any(test.in) })
  if ('under' in test) return t('condition.under', { name: subject, values: any(test.under) })
  if ('host' in test) return t('condition.host', { name: subject, values: any(test.host) })
  const [min, max] = [test.min, test.max].map((end) => code(`${end}`))
  if (test.max === undefined) return t('condition.min', { name: subject, min: min! })
  return test.min === undefined
    ? t('condition.max', { name: subject, max: max! })
    : t('condition.range', { name: subject, min: min!, max: max! })
}

function saidToken(token: Token): string {
  if (typeof token === 'string') return code(/^[^\s"'\\]+$/.test(token) ? token : JSON.stringify(token))
  if ('in' in token) return `(${any(token.in)})`
  if ('under' in token) return `(${t('condition.word_under', { values: any(token.under) })})`
  if ('min' in token) return `(${code(`${token.min}`)}–${code(`${token.max}`)})`
  return `(${'any' in token ? t('condition.word_any') : t('condition.word_operands')})`
}

function any(values: readonly (string | number | boolean | null)[]): string {
  return joined(values.map(value), 'disjunction')
}

function value(plain: string | number | boolean | null): string {
  return code(plain === '' ? '""' : String(plain))
}

function name(pointer: string): string {
  return code(nameOf(pointer))
}

function code(text: string): string {
  return OPEN + text.replaceAll(OPEN, '').replaceAll(CLOSE, '') + CLOSE
}

/** A list as the reader's language writes it. */
export function joined(list: readonly string[], type: Intl.ListFormatType): string {
  return new Intl.ListFormat(currentLanguage(), { type }).format(list)
}

/** Sentences in pieces: text, and what is shown as code. */
export function piecesOf(said: string): readonly { readonly text: string; readonly code: boolean }[] {
  return said
    .split(OPEN)
    .flatMap((part, at) => {
      const [marked = '', ...rest] = at === 0 ? ['', part] : part.split(CLOSE)
      return [
        { text: marked, code: true },
        { text: rest.join(''), code: false },
      ]
    })
    .filter(({ text }) => text !== '')
}

/** The same without marks, for where there is only text. */
export function plainSaid(said: string): string {
  return said.replaceAll(OPEN, '').replaceAll(CLOSE, '')
}
