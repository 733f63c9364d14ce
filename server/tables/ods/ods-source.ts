import { join } from 'node:path'
import { SheetRows } from '../sheet/sheet-rows.ts'
import { openZipParts, type ZipParts } from '../sheet/zip-parts.ts'
import type { SheetReader } from '../draft/sheet-draft.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { SHEET_LIMIT } from '../shape/table-shape.ts'
import { OdsTables } from './ods-tables.ts'

const CONTENT = 'content.xml'

/**
 * ODS and its template: every sheet, streamed. All sheets are in one part, so even their names take a pass over all of
 * it.
 */
export const readOds: SheetReader = async ({ path, scratch, rows: wanted, allowance, choice }) => {
  await using parts = await openZipParts(path)
  await refuseEncrypted(parts)
  let count = 0
  using tables = new OdsTables((name) => {
    count++
    return count > SHEET_LIMIT
      ? null
      : new SheetRows(name, join(scratch, `sheet-${count}.csv`), wanted, allowance, choice.sheets?.[name]?.header_row)
  })
  await parts.scan(CONTENT, tables, { prefixes: true })
  if (count === 0) throw new TableError('unreadable', say`This document has no sheets.`)
  const notices = count > SHEET_LIMIT ? [say`Only the first ${SHEET_LIMIT} of ${count} sheets were read.`] : []
  const { found } = tables
  return {
    encoding: null,
    delimiter: null,
    sheets: [...found.filter(({ hidden }) => !hidden), ...found.filter(({ hidden }) => hidden)].map(({ draft }) => ({
      ...draft,
      notices: [...notices, ...draft.notices],
    })),
  }
}

async function refuseEncrypted(parts: ZipParts): Promise<void> {
  if (!parts.has('META-INF/manifest.xml')) return
  let encrypted = false
  await parts.scan('META-INF/manifest.xml', {
    open(name) {
      if (name === 'encryption-data') encrypted = true
    },
    close() {},
    text() {},
  })
  if (encrypted)
    throw new TableError('unreadable', say`This file is protected by a password. Save it without one and try again.`)
}
