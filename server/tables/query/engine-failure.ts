import { cut } from '../../kernel/text/plain-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'

/** The engine's failure as a sentence: its first line, without paths and advice. */
export function engineFailure(
  error: unknown,
  what: Sentence,
  code: 'unreadable' | 'bad_query' | 'failed' = 'unreadable',
): TableError {
  const message = error instanceof Error ? error.message : String(error)
  if (/^Out of Memory|failed to (allocate|offload)|max_temp_directory_size/i.test(message))
    return new TableError('too_large', say`${what}: it needs more memory than one table may use.`)
  if (
    /checksum|corrupt|not a valid DuckDB database|Cannot open file|older version|newer version/i.test(message) &&
    code !== 'unreadable'
  )
    return new TableError('stale', say`${what}: its cached form is damaged.`)
  if (/^(INTERRUPT|Interrupted)/i.test(message)) return new TableError('cancelled', say`It was stopped.`)
  // The rest is advice for programmers, except the names that were probably meant.
  const [first = '', ...others] = message.split('\n')
  const meant = others.find((line) => /^(Candidate bindings|Did you mean)/.test(line))
  const said = first
    .replace(/^(\w+ )*Error: /, '')
    .replace(/"?\/[^\s"']*\/[^\s"']*"?/g, 'the file')
    .replace(/[\s.!]+$/, '')
  const hint =
    meant === undefined
      ? ''
      : ` ${cut(meant, 300)
          .replace(/[\s.]+$/, '')
          .replace(/([^?])$/, '$1.')}`
  return new TableError(code, say`${what}: ${cut(said, 400)}.${hint}`)
}
