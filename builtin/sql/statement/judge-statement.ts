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

/** Functions that only compute: whatever else a statement calls could do more than a rollback takes back. */
const HARMLESS =
  /^(abs|avg|cast|ceil|ceiling|char_length|coalesce|concat|concat_ws|count|current_date|current_time|current_timestamp|date|date_trunc|dense_rank|extract|floor|format|greatest|group_concat|ifnull|json_array|json_build_object|json_extract|json_object|jsonb_build_object|jsonb_set|least|left|length|lower|lpad|ltrim|max|md5|min|mod|now|nullif|power|rank|regexp_replace|replace|right|round|row_number|rpad|rtrim|sign|sqrt|string_agg|substr|substring|sum|to_char|to_date|to_timestamp|trim|upper)$/
/** Words before a parenthesis that are no function. */
const KEYWORDS =
  /^(all|and|any|array|as|between|by|case|check|conflict|distinct|else|except|exists|filter|from|having|in|intersect|into|is|join|key|limit|not|offset|on|or|over|partition|returning|row|rows|select|set|some|then|union|unnest|using|values|when|where|with)$/

/** A change that can be tried in a transaction that is rolled back. */
export interface TriedStatement {
  readonly statement: string
  readonly kind: 'insert' | 'update' | 'delete'
  /** It gives back the rows that it touched. */
  readonly returns: boolean
}

/**
 * The statement of a change, if trying it and rolling it back leaves nothing behind: one that changes rows and, on a
 * server, calls nothing but functions that only compute. @throws {Error} with a sentence that says why not
 */
export function triedStatement(sql: string, dialect: Dialect): TriedStatement {
  const changing = changingStatement(sql, dialect)
  const { tokens, first } = oneStatement(sql, dialect)
  if (first !== 'insert' && first !== 'update' && first !== 'delete')
    throw new Error(
      `There is no preview of ${first.toUpperCase() || 'this'}: only INSERT, UPDATE and DELETE can be tried.`,
    )
  if (dialect !== 'sqlite') refuseDoing(tokens)
  const returns = tokens.some(({ kind, text }) => kind === 'word' && text === 'returning')
  const adds = !returns && dialect !== 'mysql'
  return { statement: adds ? `${changing}\nreturning *` : changing, kind: first, returns: returns || adds }
}

function refuseDoing(tokens: readonly SqlToken[]): void {
  for (const [index, { kind, text }] of tokens.entries()) {
    if (tokens[index + 1]?.text !== '(' || (kind !== 'word' && kind !== 'name')) continue
    if (kind === 'word' && (HARMLESS.test(text) || KEYWORDS.test(text)) && tokens[index - 1]?.text !== '.') continue
    if (isTable(tokens, index)) continue
    throw new Error(`There is no preview: what ${text.slice(0, 60)}() does may not be taken back by a rollback.`)
  }
}

/** `insert into [schema.]table (`, `on conflict`'s and `as` names included: the parenthesis is a list of columns. */
function isTable(tokens: readonly SqlToken[], index: number): boolean {
  let at = index
  while (tokens[at - 1]?.text === '.') at -= 2
  return tokens[at - 1]?.text === 'into'
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
