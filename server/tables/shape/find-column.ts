import { fold } from '../../kernel/text/plain-text.ts'
import { TableError } from './table-error.ts'
import { say } from '../../kernel/sentence.ts'

/** The column with this key, ignoring case. @throws {TableError} bad_view, naming similar columns */
export function findColumn<Column extends { readonly key: string }>(columns: readonly Column[], key: string): Column {
  const exact = columns.find((column) => column.key === key)
  if (exact) return exact
  const found = columns.filter((column) => column.key.toLowerCase() === key.toLowerCase())
  if (found[0] && found.length === 1) return found[0]
  const near = nearest(
    columns.map((column) => column.key),
    key,
  )
  const hint =
    near.length > 0
      ? say`Did you mean ${near.map((each) => JSON.stringify(each)).join(', ')}?`
      : say`There are: ${listed(columns)}.`
  throw new TableError('bad_view', say`There is no column "${key}". ${hint}`)
}

function listed(columns: readonly { readonly key: string }[]): string {
  const names = columns
    .slice(0, 30)
    .map((column) => `"${column.key}"`)
    .join(', ')
  return columns.length > 30 ? `${names} and ${columns.length - 30} more` : names
}

function nearest(keys: readonly string[], wanted: string): string[] {
  const plain = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')
  const target = plain(wanted)
  if (target === '') return []
  return keys
    .map((key) => ({ key, folded: plain(key) }))
    .map(({ key, folded }) => ({
      key,
      far: folded.includes(target) || (folded !== '' && target.includes(folded)) ? 0 : distance(folded, target),
    }))
    .filter(({ far }) => far <= Math.max(1, Math.floor(target.length / 3)))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ key }) => key)
}

/** The number of letters to change; texts beyond 60 letters are cut. */
function distance(a: string, b: string): number {
  const [left, right] = [a.slice(0, 60), b.slice(0, 60)]
  let row = Array.from({ length: right.length + 1 }, (_, i) => i)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)))
    row = next
  }
  return row[right.length]!
}
