import { say } from '../../kernel/sentence.ts'
import { DocumentError } from './document-error.ts'
import type { DocumentReader } from './document-reader.ts'
import type { FileText } from './file-text.ts'
import type { DocumentFormat } from './parsed-document.ts'

/** The text of a document, or a sentence that says why there is none. Throws only what reading the bytes throws. */
export async function readDocument(
  reader: DocumentReader,
  owner: string,
  format: DocumentFormat,
  size: number,
  bytes: () => AsyncIterable<Uint8Array>,
): Promise<FileText> {
  try {
    const { text, complete, pages, detail } = await reader.read(owner, format, size, bytes)
    const about = { parser: format, lasting: true, ...(pages === undefined ? {} : { pages }) }
    if (text === null)
      return { ...about, status: 'unsupported', text, detail: detail ?? say`It holds no text that can be read.` }
    if (complete) return { ...about, status: 'parsed', text, ...(detail === undefined ? {} : { detail }) }
    const only = say`Only the first ${text.length} characters were read.`
    return { ...about, status: 'partial', text, detail: detail ?? only }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const { status, detail, lasting } = error
    return { parser: format, status, text: null, detail, lasting }
  }
}
