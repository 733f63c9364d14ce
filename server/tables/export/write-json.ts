import { JSON_START } from './export-format.ts'
import { jsonValue } from './data-value.ts'
import type { SheetToWrite } from '../shape/export-plan.ts'
import { uniqueKeys } from './unique-keys.ts'

/** A table as JSON, piece by piece: a list of objects keyed by column, or with `lines` one object per line (NDJSON). */
export async function* writeJson({ plan, batches }: SheetToWrite, lines: boolean): AsyncGenerator<string> {
  const keys = uniqueKeys(plan.columns)
  const names = keys.map((key, i) => `${i === 0 ? '{' : ','}${JSON.stringify(key)}:`)
  const values = plan.columns.map(jsonValue)
  const between = lines ? '\n' : ',\n'
  let first = true
  if (!lines) yield JSON_START
  for await (const batch of batches) {
    let text = ''
    for (const row of batch) {
      if (first) first = false
      else text += between
      for (let i = 0; i < names.length; i++) text += names[i]! + JSON.stringify(values[i]!(row[i]))
      text += '}'
    }
    if (text !== '') yield text
  }
  if (!lines) yield first ? ']\n' : '\n]\n'
  else if (!first) yield '\n'
}
