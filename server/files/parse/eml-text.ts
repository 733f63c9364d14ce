import PostalMime, { type Address } from 'postal-mime'
import { say } from '../../kernel/sentence.ts'
import { BlockText } from './block-text.ts'
import { DocumentError } from './document-error.ts'
import { addHtml } from './html-text.ts'
import type { DocumentLimits, DocumentText } from './parsed-document.ts'

const LISTED = 100
const DEPTH = 20
/** A mail has at least one of these. */
const KNOWN = new Set(['from', 'to', 'subject', 'date', 'received', 'message-id', 'mime-version', 'content-type'])

/** A mail: sender, recipients, date and subject, its text, and the names of its attachments. @throws {DocumentError} */
export async function emlText(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: DEPTH, maxRfc822NestingDepth: 2 }).catch(() => {
    throw new DocumentError('failed', say`The mail is damaged, or nested too deeply to be read.`)
  })
  if (!mail.headers.some(({ key }) => KNOWN.has(key)))
    throw new DocumentError('failed', say`The file is not a mail: it has no headers.`)
  const out = new BlockText(limits.characters)
  const header = (name: string, value: string | undefined) => {
    if (value === undefined || value === '') return
    out.text(`${name}: ${value}`)
    out.line()
  }
  header('From', shown(mail.from ? [mail.from] : []))
  header('To', shown(mail.to))
  header('Cc', shown(mail.cc))
  header('Date', mail.date)
  header('Subject', mail.subject)
  out.gap()
  let whole = true
  if (mail.text !== undefined && mail.text.trim() !== '') out.text(mail.text.trim(), true)
  else if (mail.html !== undefined) whole = addHtml(mail.html, out)
  if (mail.attachments.length > 0) {
    out.gap()
    out.text('Attachments (not read here):')
    for (const { filename, mimeType, content } of mail.attachments.slice(0, LISTED)) {
      out.line('- ')
      out.text(`${filename ?? 'without a name'} (${mimeType}, ${sizeOf(content)} bytes)`)
    }
    if (mail.attachments.length > LISTED) {
      out.line('- ')
      out.text(`${mail.attachments.length - LISTED} more`)
    }
  }
  const { text, complete } = out.result()
  return whole
    ? { text, complete }
    : { text, complete: false, detail: say`It is nested too deeply: its end was not read.` }
}

function shown(addresses: readonly Address[] | undefined): string {
  return (addresses ?? [])
    .map((each) =>
      each.group === undefined
        ? each.name === ''
          ? each.address
          : `${each.name} <${each.address}>`
        : `${each.name}: ${shown(each.group)}`,
    )
    .join(', ')
}

function sizeOf(content: ArrayBuffer | Uint8Array | string): number {
  return typeof content === 'string' ? content.length : content.byteLength
}
