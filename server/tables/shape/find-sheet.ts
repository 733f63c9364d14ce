import { TableError } from './table-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { PreparedFile, PreparedSheet } from './table-shape.ts'
import type { TableSource } from './table-source.ts'

/**
 * The sheet with this name, ignoring case if none matches exactly; the first one if no name is given. @throws
 * {TableError}
 */
export function findSheet(
  file: PreparedFile,
  source: TableSource,
  wanted: string | undefined,
): { sheet: PreparedSheet; index: number } {
  const { sheets } = file
  if (sheets.length === 0) throw new TableError('unreadable', say`The file "${source.name}" holds no table.`)
  let index = wanted === undefined ? 0 : sheets.findIndex(({ name }) => name === wanted)
  if (index < 0) index = sheets.findIndex(({ name }) => name.toLowerCase() === wanted!.toLowerCase())
  if (index < 0) {
    const names = sheets
      .slice(0, 30)
      .map(({ name }) => `"${name}"`)
      .join(', ')
    throw new TableError('no_sheet', say`There is no sheet "${wanted ?? ''}" in "${source.name}". There are: ${names}.`)
  }
  return { sheet: sheets[index]!, index }
}
