import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCS = join(import.meta.dirname, '../../../docs')

/**
 * What stands in `docs/<file>` between its `<!-- generated -->` marks. With `REEVE_UPDATE_DOCS=1` it is first replaced by
 * `wanted`; what stands outside the marks is a person's.
 */
export function generatedSection(file: string, wanted: string): string {
  const page = readDocs(file)
  const parts = /^([^]*<!-- generated[^>]*-->\n)([^]*)(<!-- end -->[^]*)$/.exec(page)
  if (parts === null) throw new Error(`docs/${file} has no <!-- generated --> … <!-- end -->.`)
  const [, head, found = '', tail] = parts
  if (process.env.REEVE_UPDATE_DOCS !== '1') return found.trim()
  writeFileSync(join(DOCS, file), `${head}\n${wanted}\n\n${tail}`)
  return wanted
}

export function readDocs(file: string): string {
  return readFileSync(join(DOCS, file), 'utf8')
}
