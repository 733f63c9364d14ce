import { decodeEntities } from './html-entities.ts'
import { TextWriter } from './text-writer.ts'

/** Elements whose content nobody reads. */
const UNSEEN = new Set('script style noscript template svg math iframe object canvas select textarea'.split(' '))
const BLOCKS = new Set(
  `address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header
  hr legend li main nav ol option p pre section summary table tbody tfoot thead title tr ul`.split(/\s+/),
)
const PARAGRAPHS = new Set(['p', 'pre', 'table', 'ul', 'ol', 'dl', 'blockquote', 'article', 'section'])

/**
 * The readable text of a page: headings, paragraphs, lists, table rows and links, without scripts and styles. It is a reading aid and no
 * browser: what a page builds by script is not there. Linear in the length of the page.
 */
export function htmlText(html: string, base: URL): { title: string; text: string } {
  const out = new TextWriter()
  let title: string | null = null
  let pre = 0
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? html.length : open
    if (end > at) out.text(decodeEntities(html.slice(at, end)), pre > 0)
    if (open < 0) break
    if (html.startsWith('<!--', open)) {
      const close = html.indexOf('-->', open + 4)
      at = close < 0 ? html.length : close + 3
      continue
    }
    const tag = readTag(html, open)
    if (tag === null) {
      out.text('<', pre > 0)
      at = open + 1
      continue
    }
    at = tag.end
    const { name, closing } = tag
    if (!closing && (UNSEEN.has(name) || name === 'title')) {
      const close = closeOf(html, name, at)
      if (name === 'title' && title === null) title = decodeEntities(html.slice(at, close)).replace(/\s+/g, ' ').trim()
      at = close
      continue
    }
    if (name === 'br') out.line()
    else if (name === 'hr') out.rule()
    else if (name === 'pre') pre = Math.max(0, pre + (closing ? -1 : 1))
    if (name === 'a') {
      out.link(closing ? null : absolute(tag.attributes, base))
    } else if (name === 'img' && !closing) {
      const alt = attribute(tag.attributes, 'alt')
      if (alt) out.text(`[picture: ${alt}]`, false)
    } else if ((name === 'td' || name === 'th') && !closing) out.cell()
    else if (BLOCKS.has(name)) {
      if (PARAGRAPHS.has(name) || /^h[1-6]$/.test(name)) out.paragraph()
      else out.line()
      if (!closing && /^h[1-6]$/.test(name)) out.prefix(`${'#'.repeat(Number(name[1]))} `)
      if (!closing && name === 'li') out.prefix('- ')
    }
  }
  return { title: title ?? '', text: out.toString() }
}

interface Tag {
  readonly name: string
  readonly closing: boolean
  readonly attributes: string
  readonly end: number
}

/** The tag that begins at `open`, quoted attribute values respected; null when it is a lone `<`. */
function readTag(html: string, open: number): Tag | null {
  const start = /^<(\/?)([a-z][a-z0-9:-]{0,40})|^<[!?]/i.exec(html.slice(open, open + 48))
  if (start === null) return null
  let quote = ''
  let at = open + start[0].length
  for (; at < html.length; at++) {
    const sign = html[at]!
    if (quote !== '') {
      if (sign === quote) quote = ''
    } else if (sign === '>') break
    else if ((sign === '"' || sign === "'") && /[=\s]/.test(html[at - 1] ?? '')) quote = sign
  }
  return {
    name: (start[2] ?? '').toLowerCase(),
    closing: start[1] === '/',
    attributes: html.slice(open + start[0].length, Math.min(at, open + 4096)),
    end: Math.min(at + 1, html.length),
  }
}

/** Where the content of an element ends that is not parsed; the end of the page when it never does. */
function closeOf(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

function attribute(attributes: string, name: string): string | null {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes)
  return found === null ? null : decodeEntities(found[1] ?? found[2] ?? found[3] ?? '')
}

function absolute(attributes: string, base: URL): string | null {
  const href = attribute(attributes, 'href')
  const url = href === null || href.startsWith('#') ? null : URL.parse(href, base.href)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
