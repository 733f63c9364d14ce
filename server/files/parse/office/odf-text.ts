import { say } from '../../../kernel/sentence.ts'
import { BlockText } from '../block-text.ts'
import { DocumentError } from '../document-error.ts'
import { OpenListNumbers } from './open-list-numbers.ts'
import { openPackage } from './open-package.ts'
import type { DocumentLimits, DocumentText } from '../parsed-document.ts'
import { scanXml } from './scan-xml.ts'

/** Text deleted with changes tracked, and elements that hold no text of the document. */
const SKIPPED = new Set([
  'tracked-changes',
  'forms',
  'scripts',
  'font-face-decls',
  'automatic-styles',
  'event-listeners',
])
/** Blanks that one element may stand for. */
const BLANKS = 100

/**
 * The text of an OpenDocument text (ODT) or presentation (ODP), the latter with slide numbers. @throws {DocumentError}
 */
export async function odfText(bytes: Buffer, limits: DocumentLimits): Promise<DocumentText> {
  const file = await openPackage(bytes)
  const manifest = await file.part('META-INF/manifest.xml')
  if (manifest !== null && Buffer.from(manifest).includes('encryption-data'))
    throw new DocumentError('failed', say`The file is protected by a password.`)
  const content = await file.part('content.xml')
  if (content === null) throw new DocumentError('failed', say`The file is not an OpenDocument file.`)
  const out = new BlockText(limits.characters)
  const lists = new OpenListNumbers()
  const styles = await file.part('styles.xml')
  if (styles !== null) scanXml(styles, { open: (name, attribute) => lists.style(name, attribute) })
  const slides = scanContent(content, out, lists)
  return { ...out.result(), ...(slides > 0 ? { pages: slides } : {}) }
}

function scanContent(bytes: Uint8Array, out: BlockText, lists: OpenListNumbers): number {
  let skipping = 0
  let paragraphs = 0
  let slides = 0
  scanXml(bytes, {
    open(name, attribute) {
      lists.style(name, attribute)
      if (SKIPPED.has(name)) skipping++
      if (skipping > 0) return
      switch (name) {
        case 'p':
          paragraphs++
          out.line(lists.next())
          break
        case 'h': {
          paragraphs++
          const level = Math.min(Math.max(Math.trunc(Number(attribute('outline-level') ?? 1)) || 1, 1), 6)
          const number = lists.next().trimStart()
          out.gap(`${'#'.repeat(level)} ${number === '- ' ? '' : number}`)
          break
        }
        case 'presentation':
          // In presentations, every paragraph may be a list of its own.
          lists.leaveNumbers()
          break
        case 'list':
          lists.openList(attribute)
          break
        case 'list-item':
          lists.openItem(attribute)
          break
        case 's':
          out.text(' '.repeat(Math.min(Math.max(Math.trunc(Number(attribute('c') ?? 1)) || 1, 1), BLANKS)), true)
          break
        case 'tab':
          out.text(' ')
          break
        case 'line-break':
          out.line()
          break
        case 'table':
          out.gap()
          break
        case 'table-row':
          out.row()
          break
        case 'table-cell':
        case 'covered-table-cell':
          out.cell()
          break
        case 'page':
          out.gap()
          out.text(`[Slide ${++slides}]`)
          out.line()
          break
        case 'notes':
          out.line()
          out.text('Notes:')
          out.line()
          break
        case 'annotation':
          out.text(' [Comment: ')
          break
      }
    },
    text(text) {
      // Between paragraphs there is only the layout of the source.
      if (paragraphs > 0 && skipping === 0) out.text(text)
    },
    close(name) {
      if (SKIPPED.has(name)) skipping--
      if (skipping > 0) return
      if (name === 'p' || name === 'h') {
        paragraphs--
        if (name === 'h') out.gap()
      } else if (name === 'list') lists.closeList()
      else if (name === 'table-row') out.endRow()
      else if (name === 'table') out.gap()
      else if (name === 'annotation') out.text(']')
    },
    done: () => out.full,
  })
  return slides
}
