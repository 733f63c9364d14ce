import { getDocumentProxy } from 'unpdf'
import { inARow } from '../../kernel/joined-sentences.ts'
import { say } from '../../kernel/sentence.ts'
import { BlockText, trimLines } from './block-text.ts'
import { DocumentError } from './document-error.ts'
import { annotationLines } from './pdf-annotations.ts'
import type { DocumentLimits, DocumentText } from './parsed-document.ts'

/** A file may claim any number of pages: after this many broken ones in a row, the rest is taken not to exist. */
const BROKEN_LIMIT = 20

/**
 * The text of a PDF, page by page with page numbers. On reaching a limit, it stops with what it has. @throws
 * {DocumentError}
 */
export async function pdfText(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const stop_at = performance.now() + limits.soft_ms
  const pdf = await getDocumentProxy(new Uint8Array(bytes), {
    // Nothing is fetched, nothing is drawn, and no text of the file is executed.
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    useWasm: false,
    verbosity: 0,
  }).catch(refused)
  const out = new BlockText(limits.characters)
  let empty = 0
  let broken = 0
  let inRow = 0
  let read = 0
  for (let number = 1; number <= pdf.numPages && !out.full; number++) {
    if (performance.now() > stop_at || inRow >= BROKEN_LIMIT) break
    const text = await readPage(pdf, number, limits).catch(() => null)
    read++
    inRow = text === null ? inRow + 1 : 0
    if (text === null) broken++
    else if (text === '') empty++
    else {
      out.gap()
      out.text(`[Page ${number}]\n${text}`, true)
    }
  }
  const { text, complete } = out.result()
  const notes = [
    ...(read < pdf.numPages && complete ? [say`Only ${read} of ${pdf.numPages} pages were read.`] : []),
    ...(broken > 0 ? [say`Damaged pages: ${broken}.`] : []),
    ...(empty > 0 ? [say`Pages without text, which may be scanned or drawn: ${empty}.`] : []),
  ]
  const [first, ...others] = notes
  return {
    text,
    complete: complete && broken === 0 && read === pdf.numPages && empty === 0,
    pages: pdf.numPages,
    ...(first === undefined ? {} : { detail: inARow([first, ...others]) }),
  }
}

async function readPage(pdf: Awaited<ReturnType<typeof getDocumentProxy>>, number: number, limits: DocumentLimits) {
  const page = await pdf.getPage(number)
  const { items } = await page.getTextContent()
  const pieces: string[] = []
  let length = 0
  for (const item of items) {
    if (!('str' in item)) continue
    pieces.push(item.str, item.hasEOL ? '\n' : '')
    length += item.str.length
    if (length > limits.characters) break
  }
  const beside = annotationLines(await page.getAnnotations().catch(() => []))
  page.cleanup()
  const text = trimLines(pieces.join('')).replace(/\n{3,}/g, '\n\n')
  return [text, ...beside].filter((line) => line !== '').join('\n')
}

function refused(error: unknown): never {
  if (error instanceof Error && error.name === 'PasswordException')
    throw new DocumentError('failed', say`The PDF is protected by a password.`)
  throw new DocumentError('failed', say`The PDF is damaged, or is not what its name says.`)
}
