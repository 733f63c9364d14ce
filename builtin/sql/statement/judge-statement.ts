import type { Dialect } from '../sql-database.ts'
import { FORBIDDEN_FUNCTIONS } from './forbidden-functions.ts'
import { scanSql, type SqlToken } from './scan-sql.ts'

const READING: Record<Dialect, readonly string[]> = {
  postgres: ['select', 'with', 'values', 'table'],
  mysql: ['select', 'with', 'values', 'table', 'show', 'describe', 'desc'],
  sqlite: ['select', 'with', 'values'],
}
const EXPLAINABLE = ['select', 'with', 'values', 'table', 'insert', 'update', 'delete', 'merge', 'replace']
/**
 * Statements that begin, end or share a transaction would break the one they run in; the others reach outside the
 * database.
 */
const NOT_EXECUTED =
  /^(begin|start|commit|end|rollback|abort|savepoint|release|prepare|execute|deallocate|declare|fetch|close|move|listen|unlisten|discard|load|copy|attach|detach|use|set|reset|handler|lock|unlock|kill|shutdown|install|uninstall|delimiter|source|do|call|pragma|vacuum|explain)$/

/** Keywords of changes. */
const SEQUENCES = /^(nextval|setval|next)$/

/**
 * The statement without its terminator, if it only reads. A first check: the real protection is the database's.
 * @throws {Error} with a sentence
 */
export function readingStatement(sql: string, dialect: Dialect): string {
  const { statement, tokens, first } = oneStatement(sql, dialect)
  if (!READING[dialect].includes(first)) {
    throw new Error(
      `"query" runs only statements that read (${READING[dialect].join(', ').toUpperCase()}), not ${first.toUpperCase() || 'this'}. Changes go through "execute".`,
    )
  }
  refuseReaching(tokens, dialect)
  return statement
}

/** The statement, if its plan can be shown without running it. @throws {Error} with a sentence */
export function explainableStatement(sql: string, dialect: Dialect): string {
  const { statement, tokens, first } = oneStatement(sql, dialect)
  if (!EXPLAINABLE.includes(first))
    throw new Error(`There is no plan for ${first.toUpperCase() || 'this'}. Give a SELECT, INSERT, UPDATE or DELETE.`)
  refuseReaching(tokens, dialect)
  return statement
}

/** The statement, if it is a single change that can run in a transaction. @throws {Error} with a sentence */
export function changingStatement(sql: string, dialect: Dialect): string {
  const { statement, tokens, first } = oneStatement(sql, dialect)
  if (NOT_EXECUTED.test(first))
    throw new Error(`"execute" does not run ${first.toUpperCase()}. It runs one statement in a transaction of its own.`)
  refuseReaching(
    tokens.filter((token) => !SEQUENCES.test(token.text)),
    dialect,
  )
  return statement
}

function oneStatement(sql: string, dialect: Dialect) {
  const tokens = scanSql(sql, dialect)
  const end = tokens.findIndex((token) => token.kind === 'symbol' && token.text === ';')
  if (end >= 0 && tokens.slice(end).some((token) => token.text !== ';' || token.kind !== 'symbol'))
    throw new Error('Give one statement. After the semicolon there is another one.')
  const own = end < 0 ? tokens : tokens.slice(0, end)
  const begin = own.find((token) => !(token.kind === 'symbol' && token.text === '('))
  if (begin === undefined) throw new Error('The statement is empty.')
  return {
    statement: end < 0 ? sql : sql.slice(0, tokens[end]!.at),
    tokens: own,
    first: begin.kind === 'word' ? begin.text : '',
  }
}

function refuseReaching(tokens: readonly SqlToken[], dialect: Dialect): void {
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (token.kind === 'comment') throw new Error('Comments that MySQL runs (/*! … */) are not allowed.')
    if (dialect === 'postgres' && token.text === 'u' && next?.text === '&')
      throw new Error('Names and texts with U& are not allowed: write the characters themselves.')
    const callable = token.kind === 'word' || token.kind === 'name'
    if (callable && next?.text === '(' && FORBIDDEN_FUNCTIONS[dialect].test(token.text))
      throw new Error(
        `The function ${token.text.slice(0, 60)} is not allowed: it reaches beyond the data, or undoes the limits of a query.`,
      )
    if (dialect === 'mysql' && token.kind === 'word') {
      const words = tokens.slice(index, index + 3).map((each) => each.text)
      if (token.text === 'outfile' || token.text === 'dumpfile')
        throw new Error('Writing files on the server (INTO OUTFILE) is not allowed.')
      if (words.join(' ') === 'next value for')
        throw new Error('NEXT VALUE FOR changes a sequence, so it is not allowed.')
    }
  }
}
