import { xlsx } from './sheet-js.ts'

export interface ReadSheet {
  readonly name: string
  /** Cells as another reader of workbooks sees them; null where there is none. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[]
  /** How many cells hold a formula. */
  readonly formulas: number
}

/** What somebody else's library reads in a workbook of ours. */
export function readSheets(bytes: Buffer): ReadSheet[] {
  const book = xlsx.read(bytes, { cellFormula: true })
  return book.SheetNames.map((name) => {
    const sheet = book.Sheets[name]!
    const cells = Object.entries(sheet).filter(([key]) => !key.startsWith('!'))
    return {
      name,
      rows: xlsx.utils.sheet_to_json<(string | number | boolean | null)[]>(sheet, {
        header: 1,
        raw: true,
        defval: null,
      }),
      formulas: cells.filter(([, cell]) => (cell as { f?: string }).f !== undefined).length,
    }
  })
}
