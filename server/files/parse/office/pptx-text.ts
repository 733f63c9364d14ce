import { say } from '../../../kernel/sentence.ts'
import { BlockText } from '../block-text.ts'
import { chartText } from './chart-text.ts'
import { DocumentError } from '../document-error.ts'
import { openPackage, type DocumentPackage } from './open-package.ts'
import type { DocumentLimits, DocumentText } from '../parsed-document.ts'
import { relationships } from './relationships.ts'
import { scanXml } from './scan-xml.ts'

const MAIN = 'ppt/presentation.xml'
/** Placeholders that repeat on every slide and carry no content. */
const FURNITURE = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

/** The text of a presentation, slide by slide in presentation order, with the speaker notes. @throws {DocumentError} */
export async function pptxText(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const file = await openPackage(bytes)
  const main = (await relationships(file, '')).find(({ type }) => type === 'officeDocument')?.target ?? MAIN
  const slides = await slideParts(file, main)
  const out = new BlockText(limits.characters)
  let lost = 0
  let written = false
  for (const [index, part] of slides.entries()) {
    if (out.full) break
    const slide = await file.part(part)
    out.gap()
    const text = new BlockText(limits.characters)
    if (slide === null) lost++
    else {
      scanShapes(slide, text)
      await addDrawings(file, part, text)
    }
    const notes = await notesOf(file, part, limits)
    const own = text.result().text
    written ||= own !== null || notes !== null
    out.text(`[Slide ${index + 1}]`)
    out.line()
    if (own !== null) out.text(own, true)
    if (notes === null) continue
    out.line()
    out.text(`Notes: ${notes}`, true)
  }
  const { text, complete } = out.result()
  return {
    text: written ? text : null,
    complete: complete && lost === 0,
    pages: slides.length,
    ...(lost > 0 ? { detail: say`Slides missing from the file: ${lost} of ${slides.length}.` } : {}),
  }
}

/** Names of the slides' parts in presentation order. @throws {DocumentError} */
async function slideParts(file: DocumentPackage, main: string): Promise<string[]> {
  const presentation = await file.part(main)
  if (presentation === null) throw new DocumentError('failed', say`The file is not a presentation.`)
  const parts = new Map((await relationships(file, main)).map(({ id, target }) => [id, target]))
  const order: string[] = []
  scanXml(presentation, {
    open(name, attribute) {
      // There is also an unprefixed `id`, a number of its own.
      const target = name === 'sldId' ? parts.get(attribute('id') ?? '') : undefined
      if (target !== undefined) order.push(target)
    },
  })
  return order
}

/** Charts and diagrams (SmartArt) of a slide are separate parts. */
async function addDrawings(file: DocumentPackage, slide: string, out: BlockText): Promise<void> {
  for (const { type, target } of await relationships(file, slide)) {
    if (type !== 'chart' && type !== 'diagramData') continue
    const bytes = out.full ? null : await file.part(target)
    if (bytes === null) continue
    out.line()
    if (type === 'chart') out.text(chartText(bytes), true)
    else scanShapes(bytes, out)
  }
}

async function notesOf(file: DocumentPackage, slide: string, limits: DocumentLimits): Promise<string | null> {
  const part = (await relationships(file, slide)).find(({ type }) => type === 'notesSlide')?.target
  const bytes = part === undefined ? null : await file.part(part)
  if (bytes === null) return null
  const out = new BlockText(limits.characters)
  scanShapes(bytes, out)
  return out.result().text
}

function scanShapes(bytes: Uint8Array, out: BlockText): void {
  let inText = false
  let skipping = false
  scanXml(bytes, {
    open(name, attribute) {
      if (name === 'ph' && FURNITURE.has(attribute('type') ?? '')) skipping = true
      else if (name === 'p' || name === 'br') out.line()
      else if (name === 't') inText = true
      else if (name === 'tr') out.row()
      else if (name === 'tc') out.cell()
      else if (name === 'tab') out.text(' ')
    },
    text(text) {
      if (inText && !skipping) out.text(text)
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'sp') skipping = false
      else if (name === 'tr') out.endRow()
    },
    done: () => out.full,
  })
}
