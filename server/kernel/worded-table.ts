import type { Wording } from './wording.ts'

interface TableTexts {
  readonly title: string
  readonly columns: readonly { readonly label: string }[]
}

/**
 * A table of a result as people read it. Only where the module has words for its title are the labels its own: all
 * others may be somebody's data. (What a model reads of the result is text by now.)
 */
export function wordedTable<T extends TableTexts>(table: T, { has, text }: Wording): T {
  if (!has(table.title)) return table
  return {
    ...table,
    title: text(table.title),
    columns: table.columns.map((column) => ({ ...column, label: text(column.label) })),
  }
}
