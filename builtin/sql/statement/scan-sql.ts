import type { Dialect } from '../sql-database.ts'

export interface SqlToken {
  /** `name`: a quoted identifier. `comment`: a comment that MySQL executes (`/*! … *\/`); others are left out. */
  readonly kind: 'word' | 'name' | 'string' | 'symbol' | 'comment'
  /** Words in lower case, names without quotes, strings without their content, symbols one character each. */
  readonly text: string
  /** Offset in the statement. */
  readonly at: number
}

/**
 * The tokens of SQL as the dialect reads them; the content of strings and comments is skipped. Not a parser: just
 * enough to tell the kind of a statement and the names it uses. @throws {Error} with a sentence, when a string or
 * comment never ends
 */
export function scanSql(sql: string, dialect: Dialect): SqlToken[] {
  if (sql.includes('\0')) throw new Error('The statement holds a NUL character.')
  const tokens: SqlToken[] = []
  let at = 0
  while (at < sql.length) {
    const start = at
    const sign = sql[at]!
    const add = (kind: SqlToken['kind'], text: string) => tokens.push({ kind, text, at: start })
    if (/\s/.test(sign)) at++
    else if (beginsLineComment(sql, at, dialect)) {
      // Only for PostgreSQL does a carriage return end it.
      const end = dialect === 'postgres' ? /[\n\r]/g : /\n/g
      end.lastIndex = at
      at = end.exec(sql)?.index ?? sql.length
    } else if (sql.startsWith('/*', at)) {
      if (dialect === 'mysql' && /^\/\*M?!/.test(sql.slice(at, at + 4))) add('comment', '')
      at = endOfComment(sql, at, dialect)
    } else if (sign === "'") {
      const escapes = dialect === 'mysql' || (dialect === 'postgres' && followsEscapePrefix(sql, at))
      at = endOfQuoted(sql, at, "'", escapes)
      add('string', '')
    } else if (sign === '"' || (sign === '`' && dialect !== 'postgres')) {
      const text = dialect === 'mysql' && sign === '"'
      at = endOfQuoted(sql, at, sign, text)
      if (text) add('string', '')
      else add('name', sql.slice(start + 1, at - 1).replaceAll(sign + sign, sign))
    } else if (sign === '[' && dialect === 'sqlite') {
      const end = sql.indexOf(']', at)
      if (end < 0) throw new Error('A name in brackets never ends.')
      at = end + 1
      add('name', sql.slice(start + 1, end))
    } else if (sign === '$' && dialect === 'postgres' && dollarTag(sql, at) !== null) {
      const tag = dollarTag(sql, at)!
      const end = sql.indexOf(tag, at + tag.length)
      if (end < 0) throw new Error(`The text that begins with ${tag} never ends.`)
      at = end + tag.length
      add('string', '')
    } else if (/[\p{L}\p{M}_]/u.test(codePoint(sql, at)) || sign > '\x7f') {
      const word = /[\p{L}\p{M}\p{N}_$\u0080-\uffff]+/uy
      word.lastIndex = at
      at += word.exec(sql)?.[0].length ?? 1
      add('word', sql.slice(start, at).toLowerCase())
    } else if (/[0-9]/.test(sign)) {
      const number = /[0-9][\w.]*/y
      number.lastIndex = at
      at += number.exec(sql)![0].length
    } else {
      at++
      add('symbol', sign)
    }
  }
  return tokens
}

function codePoint(sql: string, at: number): string {
  return String.fromCodePoint(sql.codePointAt(at)!)
}

function beginsLineComment(sql: string, at: number, dialect: Dialect): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters count as blanks there
  if (dialect === 'mysql') return sql[at] === '#' || /^--([\s\x01-\x20\x7f]|$)/.test(sql.slice(at, at + 3))
  return sql.startsWith('--', at)
}

function endOfComment(sql: string, at: number, dialect: Dialect): number {
  // Only PostgreSQL nests comments.
  let depth = 0
  for (let next = at; next < sql.length; next++) {
    if (sql.startsWith('/*', next) && (depth === 0 || dialect === 'postgres')) {
      depth++
      next++
    } else if (sql.startsWith('*/', next)) {
      depth--
      next++
      if (depth === 0) return next + 1
    }
  }
  throw new Error('A comment never ends.')
}

function endOfQuoted(sql: string, at: number, quote: string, escapes: boolean): number {
  for (let next = at + 1; next < sql.length; next++) {
    if (escapes && sql[next] === '\\') next++
    else if (sql[next] === quote) {
      if (sql[next + 1] !== quote) return next + 1
      next++
    }
  }
  throw new Error('A text or name in quotes never ends.')
}

/** `E'…'` allows backslash escapes. @throws {Error} where versions of PostgreSQL differ */
function followsEscapePrefix(sql: string, at: number): boolean {
  if (/\d[\p{L}\p{N}_]*$/u.test(sql.slice(Math.max(0, at - 40), at)) && sql[at - 1]!.toLowerCase() === 'e')
    throw new Error('A number stands directly before a text in quotes. Put a blank between them.')
  return /(?:^|[^\p{L}\p{N}_$])e$/iu.test(sql.slice(Math.max(0, at - 3), at))
}

function dollarTag(sql: string, at: number): string | null {
  const tag = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy
  tag.lastIndex = at
  return tag.exec(sql)?.[0] ?? null
}
