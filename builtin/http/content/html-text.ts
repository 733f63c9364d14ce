import { Tokenizer } from 'htmlparser2'
import { TextWriter } from './text-writer.ts'

/** Elements whose content is not for reading. */
const UNSEEN = new Set('script style noscript template svg math iframe object canvas select textarea'.split(' '))
const BLOCKS = new Set(
  `address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header
  legend li main nav ol option p pre section summary table tbody tfoot thead tr ul`.split(/\s+/),
)
const PARAGRAPHS = new Set('p pre table ul ol dl blockquote article section h1 h2 h3 h4 h5 h6'.split(' '))

/**
 * The readable text of a page: headings, paragraphs, lists, table rows and links, without scripts and styles. It is a
 * reading aid, not a browser: what a page builds by script is missing. It handles tags as they come, because a parser
 * that tracks open elements would not be linear in the length of the page.
 */
export function htmlText(html: string, base: URL): { title: string; text: string } {
  const out = new TextWriter()
  let title: string | null = null
  let titled = false
  /** The element whose content is being skipped. */
  let within: string | null = null
  let pre = 0
  let name = ''
  let attribute = ''
  let value = ''
  let attributes = new Map<string, string>()

  const add = (text: string): void => {
    if (within === null) out.text(text, pre > 0)
    else if (within === 'title' && !titled) title = (title ?? '') + text
  }
  const both = (tag: string): void => {
    if (tag === 'br') out.line()
    else if (PARAGRAPHS.has(tag)) out.paragraph()
    else if (BLOCKS.has(tag)) out.line()
  }
  const opened = (): void => {
    if (within !== null) return
    if (UNSEEN.has(name) || name === 'title') return void (within = name)
    both(name)
    if (name === 'pre') pre++
    else if (name === 'hr') out.rule()
    else if (name === 'a') out.link(absolute(attributes.get('href'), base))
    else if (name === 'img' && attributes.get('alt')) out.text(`[picture: ${attributes.get('alt')}]`, false)
    else if (name === 'td' || name === 'th') out.cell()
    else if (name === 'li') out.prefix('- ')
    else if (/^h[1-6]$/.test(name)) out.prefix(`${'#'.repeat(Number(name[1]))} `)
  }
  const closed = (tag: string): void => {
    if (within !== null) {
      if (tag === within) within = null
      if (tag === 'title') titled = title !== null
      return
    }
    if (tag === 'pre') pre = Math.max(0, pre - 1)
    else if (tag === 'a') out.link(null)
    both(tag)
  }
  const nothing = (): void => {}
  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (start, end) => add(html.slice(start, end)),
      // A soft hyphen is invisible where no line is broken.
      ontextentity: (code) => add(code === 0xad ? '' : String.fromCodePoint(code)),
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase()
        attributes = new Map()
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase()
        value = ''
      },
      onattribdata: (start, end) => void (value += html.slice(start, end)),
      onattribentity: (code) => void (value += String.fromCodePoint(code)),
      onattribend: () => void (attributes.has(attribute) || attributes.set(attribute, value)),
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag: (start, end) => closed(html.slice(start, end).toLowerCase()),
      oncomment: nothing,
      oncdata: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return { title: (title ?? '').replace(/\s+/g, ' ').trim(), text: out.toString() }
}

function absolute(href: string | undefined, base: URL): string | null {
  const url = href === undefined || href.startsWith('#') ? null : URL.parse(href, base.href)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
