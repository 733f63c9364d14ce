import type { Condition, Token } from '../../../../contract/rule-conditions.ts'
import { say } from '../../../kernel/sentence.ts'
import { anyFound, DIFFERS, FITS, type Found, ODD, TOO_LONG, WRONG_TYPE } from './finding.ts'
import { findNumeral } from './number.ts'
import { findUnder } from './path-under.ts'
import { follow, readPointer } from './pointer.ts'
import { findText, isOdd, TEXT_JUDGED } from './text.ts'

export type Argv = Extract<Condition, { argv: unknown }>

/** Words of a command that is judged. */
const WORDS_JUDGED = 256
const SHELL: Found = { outcome: 'unknown', why: say`A shell may read it: “shell” is not false.` }
const OPTION: Found = { outcome: 'unknown', why: say`A word that may be anything begins with “-”.` }
const BARE: Found = { outcome: 'unknown', why: say`Without a path it could be any program of this name.` }

/**
 * A whole command, word by word: the program and all its arguments, exactly as many as the rule has. Nothing is split,
 * unquoted or expanded.
 */
export function findCommand(args: unknown, { argv, tokens }: Argv, windows: boolean): Found {
  const shell = follow(args, ['shell'])
  if (shell.kind !== 'there' || shell.value !== false) return SHELL
  const program = follow(args, readPointer(argv.program) ?? [])
  if (program.kind !== 'there' || typeof program.value !== 'string') return WRONG_TYPE
  const given = follow(args, readPointer(argv.args) ?? [])
  const words: unknown = given.kind === 'absent' ? [] : given.kind === 'there' ? given.value : null
  if (!Array.isArray(words)) return WRONG_TYPE
  if (words.length > WORDS_JUDGED) return TOO_LONG
  if (windows && !program.value.includes('/') && !program.value.includes('\\')) return BARE
  return findWords([program.value, ...(words as unknown[])], tokens)
}

function findWords(words: readonly unknown[], tokens: readonly Token[]): Found {
  const rest = isOperands(tokens.at(-1))
  const fixed = rest ? tokens.slice(0, -1) : tokens
  if (rest ? words.length < fixed.length : words.length !== fixed.length) return DIFFERS
  let found = FITS
  for (const [i, word] of words.entries()) {
    const one = findWord(word, fixed[i] ?? { any: true })
    if (one.outcome === 'false') return DIFFERS
    if (one.outcome === 'unknown' && found.outcome === 'true') found = one
  }
  return found
}

function findWord(word: unknown, token: Token): Found {
  if (typeof word !== 'string') return WRONG_TYPE
  if (typeof token === 'string') return findText(word, token)
  if ('in' in token) return anyFound(token.in.map((text) => findText(word, text)))
  if ('under' in token) return findUnder(word, token.under)
  if ('min' in token) return findNumeral(word, token.min, token.max)
  if (word.length > TEXT_JUDGED) return TOO_LONG
  if (word === '' || isOdd(word)) return ODD
  return word.startsWith('-') ? OPTION : FITS
}

export function isOperands(token: Token | undefined): boolean {
  return typeof token === 'object' && 'operands' in token
}
