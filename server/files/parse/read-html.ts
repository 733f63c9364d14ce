import { decodeText } from '../decode-text.ts'
import { say } from '../../kernel/sentence.ts'
import { BlockText } from './block-text.ts'
import { DocumentError } from './document-error.ts'
import { addHtml } from './html-text.ts'
import type { DocumentLimits, DocumentText } from './parsed-document.ts'

const HEAD = 4096

/** The readable text of an HTML file, its title first. @throws {DocumentError} */
export async function readHtml(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const html = await decodeHtml(bytes)
  const out = new BlockText(limits.characters)
  const title = /<title[^>]*>([^<]{1,500})<\/title>/i.exec(html.slice(0, 16 * HEAD))?.[1]?.trim()
  if (title !== undefined && title !== '') {
    addHtml(title, out)
    out.gap()
  }
  if (addHtml(html, out)) return out.result()
  return { text: out.result().text, complete: false, detail: say`It is nested too deeply: its end was not read.` }
}

/** UTF-8 if it is valid; else the encoding that the page declares; else a guess. */
async function decodeHtml(bytes: Buffer): Promise<string> {
  const guess = await decodeText(bytes, false)
  if (guess === null)
    throw new DocumentError('failed', say`The name says that this file is text, but its content is not.`)
  if (guess.broken === 0 && guess.encoding.startsWith('utf')) return guess.text
  const named = /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(bytes.toString('latin1', 0, HEAD))?.[1]
  try {
    return named === undefined ? guess.text : new TextDecoder(named).decode(bytes)
  } catch {
    // There is no encoding of this name.
    return guess.text
  }
}
