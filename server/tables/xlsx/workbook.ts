import { posix } from 'node:path'
import { xmlAttributes } from '../sheet/xml-text.ts'
import type { ZipParts } from '../sheet/zip-parts.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

export interface WorkbookSheet {
  readonly name: string
  /** The part that contains it; null when the workbook doesn't say which. */
  readonly part: string | null
  readonly hidden: boolean
}
export interface Workbook {
  /** Visible sheets come first. */
  readonly sheets: readonly WorkbookSheet[]
  readonly strings: string | null
  readonly styles: string | null
  /** Days count from 1904 instead of 1900. */
  readonly from1904: boolean
}

interface Relation {
  /** The end of its type: the beginning differs between editions of the standard. */
  readonly type: string
  readonly part: string
}

/** Reads which sheets a workbook has and where its parts are. @throws {TableError} unreadable */
export async function readWorkbook(parts: ZipParts): Promise<Workbook> {
  const root = await relations(parts, '')
  const part = [...root.values()].find(({ type }) => type === 'officeDocument')?.part ?? 'xl/workbook.xml'
  if (!parts.has(part)) throw new TableError('unreadable', say`This file is incomplete: it has no workbook inside.`)
  const related = await relations(parts, part)
  const sheets: WorkbookSheet[] = []
  let from1904: boolean | null = null
  await parts.scan(part, {
    open(name, attributes) {
      // The first one counts: `x15:workbookPr`, which follows in newer files, says something else.
      if (name === 'workbookPr') from1904 ??= /^(1|true|on)$/i.test(xmlAttributes(attributes).get('date1904') ?? '')
      if (name !== 'sheet') return
      const given = xmlAttributes(attributes)
      const id = [...given].find(([key]) => key.endsWith(':id'))?.[1]
      const relation = id === undefined ? undefined : related.get(id)
      // Chart and dialog sheets contain no cells.
      if (relation !== undefined && relation.type !== 'worksheet') return
      const state = given.get('state') ?? 'visible'
      sheets.push({
        name: given.get('name') || `Sheet${sheets.length + 1}`,
        part: relation?.part ?? null,
        hidden: state !== 'visible',
      })
    },
    close() {},
    text() {},
  })
  const only = (type: string): string | null => [...related.values()].find((each) => each.type === type)?.part ?? null
  return {
    sheets: [...sheets.filter(({ hidden }) => !hidden), ...sheets.filter(({ hidden }) => hidden)],
    strings: only('sharedStrings'),
    styles: only('styles'),
    from1904: from1904 ?? false,
  }
}

async function relations(parts: ZipParts, of: string): Promise<Map<string, Relation>> {
  const folder = posix.dirname(of)
  const found = new Map<string, Relation>()
  const part = posix.join(folder, '_rels', `${posix.basename(of)}.rels`)
  if (!parts.has(part)) return found
  await parts.scan(part, {
    open(name, attributes) {
      if (name !== 'Relationship') return
      const given = xmlAttributes(attributes)
      const target = (given.get('Target') ?? '').replaceAll('\\', '/')
      if (given.get('TargetMode') === 'External') return
      found.set(given.get('Id') ?? '', {
        type: (given.get('Type') ?? '').replace(/^.*\//s, ''),
        part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      })
    },
    close() {},
    text() {},
  })
  return found
}
