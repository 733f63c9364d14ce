import { xmlAttributes } from '../sheet/xml-text.ts'
import type { ZipParts } from '../sheet/zip-parts.ts'
import { builtInFormat, formatOf, type NumberFormat } from './number-format.ts'

/** Excel stops at about 65,000. */
const STYLE_LIMIT = 1_000_000

/** The number format of each cell style, by its number. @throws {TableError} */
export async function readStyles(parts: ZipParts, part: string): Promise<readonly NumberFormat[]> {
  const own = new Map<number, NumberFormat>()
  const ids: number[] = []
  // A format of conditional formatting (`dxfs`) may have the number of another one.
  let inside: 'formats' | 'styles' | null = null
  await parts.scan(part, {
    open(name, attributes) {
      if (name === 'cellXfs') inside = 'styles'
      else if (name === 'numFmts') inside = 'formats'
      else if (name === 'numFmt' && inside === 'formats') {
        const given = xmlAttributes(attributes)
        own.set(Number(given.get('numFmtId')), formatOf(given.get('formatCode') ?? ''))
      } else if (name === 'xf' && inside === 'styles' && ids.length < STYLE_LIMIT)
        ids.push(Number(xmlAttributes(attributes).get('numFmtId') ?? 0))
    },
    close(name) {
      if (name === 'cellXfs' || name === 'numFmts') inside = null
    },
    text() {},
  })
  return ids.map((id) => own.get(id) ?? builtInFormat(id))
}
