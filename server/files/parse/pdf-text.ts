import { getDocumentProxy } from 'unpdf'
import { BlockText, trimLines } from './block-text.ts'
import { DocumentError } from './document-error.ts'
import type { DocumentLimits, DocumentText } from './parsed-document.ts'

/** A file may claim any number of pages: after so many broken ones in a row there are no more. */
const BROKEN_LIMIT = 20

/** Text of a PDF, page by page with the numbers of the pages. Stops at a limit with what it has. @throws {DocumentError} */
export async function pdfText(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const stop_at = performance.now() + limits.soft_ms
  const pdf = await getDocumentProxy(new Uint8Array(bytes), {
    // Nothing is fetched, nothing is drawn, and no text of the file becomes a program.
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
    read < pdf.numPages && complete ? `Only ${read} of ${pdf.numPages} pages were read.` : '',
    broken > 0 ? `${broken} pages are damaged.` : '',
    empty > 0 ? `${empty} pages hold no text: they may be scanned or drawn.` : '',
  ].filter((note) => note !== '')
  return {
    text,
    complete: complete && broken === 0 && read === pdf.numPages && empty === 0,
    pages: pdf.numPages,
    ...(notes.length > 0 ? { detail: notes.join(' ') } : {}),
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
  page.cleanup()
  return trimLines(pieces.join('')).replace(/\n{3,}/g, '\n\n')
}

function refused(error: unknown): never {
  if (error instanceof Error && error.name === 'PasswordException')
    throw new DocumentError('failed', 'The PDF is protected by a password.')
  throw new DocumentError('failed', 'The PDF is damaged, or is not what its name says.')
}
