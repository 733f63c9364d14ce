/**
 * Joins each row of text columns into one text: taking a row out of the engine costs far less than taking every cell.
 * Cells are separated by a unit separator, and a lone record separator is an empty cell. A row that itself contains
 * these characters comes as JSON.
 */
const BETWEEN = '\x1f'
const EMPTY = '\x1e'
const AS_JSON = '\x1d'

/** SQL that yields one text for the cells `c<i>` of a row. */
export function joinedSql(columns: readonly number[]): string {
  const cells = columns.map((i) => `c${i}`)
  const cell = (each: string): string => `coalesce(${each}, chr(30))`
  const doubtful = anyOf([
    ...cells.map((each) => `contains(${each}, chr(31)) OR ${each} = chr(30)`),
    `starts_with(${cells[0]}, chr(29))`,
  ])
  return (
    `CASE WHEN ${doubtful} THEN concat(chr(29), CAST(to_json([${cells.join(', ')}]) AS VARCHAR)) ` +
    `ELSE concat_ws(chr(31), ${cells.map(cell).join(', ')}) END`
  )
}

/** The cells of a row that `joinedSql` yielded. */
export function splitRow(text: string): (string | null)[] {
  if (text.startsWith(AS_JSON)) return JSON.parse(text.slice(1)) as (string | null)[]
  const cells: (string | null)[] = text.split(BETWEEN)
  if (text.includes(EMPTY)) for (let i = 0; i < cells.length; i++) if (cells[i] === EMPTY) cells[i] = null
  return cells
}

/** Terms joined by OR as a balanced tree: thousands in a line would nest deeper than the engine allows. */
function anyOf(terms: readonly string[]): string {
  if (terms.length <= 2) return terms.join(' OR ')
  const half = terms.length >> 1
  return `(${anyOf(terms.slice(0, half))}) OR (${anyOf(terms.slice(half))})`
}
