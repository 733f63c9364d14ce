import { say } from '../../../kernel/sentence.ts'
import { BlockText } from '../block-text.ts'
import { DocumentError } from '../document-error.ts'
import { ListNumbers } from './list-numbers.ts'
import { openPackage, type DocumentPackage } from './open-package.ts'
import type { DocumentLimits, DocumentText } from '../parsed-document.ts'
import { relationships } from './relationships.ts'
import { scanXml } from './scan-xml.ts'

const MAIN = 'word/document.xml'
/** Text deleted with changes tracked, and the duplicates for programs that don't support drawings. */
const SKIPPED = new Set(['del', 'moveFrom', 'Fallback'])
const NOTES = ['footnotes', 'endnotes']

/**
 * The text of a Word document: headings, lists, tables with a line per row, then footnotes and endnotes. @throws
 * {DocumentError}
 */
export async function docxText(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const file = await openPackage(bytes)
  const roots = await relationships(file, '')
  const main = roots.find(({ type }) => type === 'officeDocument')?.target ?? MAIN
  const body = await file.part(main)
  if (body === null) throw new DocumentError('failed', say`The file is not a Word document.`)
  const parts = await relationships(file, main)
  const headings = await readHeadings(file, parts.find(({ type }) => type === 'styles')?.target ?? 'word/styles.xml')
  const numbering = parts.find(({ type }) => type === 'numbering')?.target
  const lists = new ListNumbers(numbering === undefined ? null : await file.part(numbering))
  const out = new BlockText(limits.characters)
  scanBody(body, out, headings, lists)
  for (const { type, target } of parts) {
    if (!NOTES.includes(type) || out.full) continue
    const notes = await file.part(target)
    if (notes === null) continue
    out.gap()
    scanBody(notes, out, headings, lists)
  }
  const { text, complete } = out.result()
  return { text, complete }
}

/** Id of a paragraph style → level of the heading. (The ids are translated, the names are not.) */
async function readHeadings(file: DocumentPackage, part: string): Promise<ReadonlyMap<string, number>> {
  const bytes = await file.part(part)
  const levels = new Map<string, number>()
  let style = ''
  if (bytes === null) return levels
  scanXml(bytes, {
    open(name, attribute) {
      if (name === 'style') style = attribute('styleId') ?? ''
      if (name !== 'name' || style === '') return
      const level = /^(?:heading ([1-9])|title)$/i.exec(attribute('val') ?? '')
      if (level !== null) levels.set(style, Number(level[1] ?? 1))
    },
  })
  return levels
}

function scanBody(bytes: Uint8Array, out: BlockText, headings: ReadonlyMap<string, number>, lists: ListNumbers): void {
  let item: { list: string; depth: number } | null = null
  let skipping = 0
  let inText = false
  let note = ''
  scanXml(bytes, {
    open(name, attribute) {
      if (SKIPPED.has(name)) skipping++
      if (skipping > 0) return
      if (name === 'p') {
        out.line(note)
        note = ''
      } else if (name === 't') inText = true
      else if (name === 'pStyle') {
        const level = headings.get(attribute('val') ?? '')
        if (level !== undefined) out.gap(`${'#'.repeat(level)} `)
      } else if (name === 'numPr') item = { list: '', depth: 0 }
      else if (name === 'ilvl' && item !== null) item.depth = Number(attribute('val') ?? 0)
      else if (name === 'numId' && item !== null) item.list = attribute('val') ?? ''
      else if (name === 'tab') out.text(' ')
      else if (name === 'br' || name === 'cr') out.line()
      else if (name === 'tc') out.cell()
      else if (name === 'tr') out.row()
      else if (name === 'tbl') out.gap()
      else if (name === 'footnoteReference' || name === 'endnoteReference') out.text(`[${attribute('id') ?? ''}]`)
      // The lines that separate notes from the text are notes too, marked by a type.
      else if ((name === 'footnote' || name === 'endnote') && attribute('type') === undefined)
        note = `[${attribute('id') ?? ''}] `
    },
    text(text) {
      if (inText && skipping === 0) out.text(text)
    },
    close(name) {
      if (SKIPPED.has(name)) skipping--
      else if (name === 't') inText = false
      else if (name === 'numPr' && item !== null && skipping === 0) {
        out.line(lists.next(item.list, item.depth))
        item = null
      } else if (name === 'tr') out.endRow()
      else if (name === 'tbl') out.gap()
    },
    done: () => out.full,
  })
}
