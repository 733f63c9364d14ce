import { Parser } from 'htmlparser2'
import type { BlockText } from './block-text.ts'

const PIECE = 64 * 1024
/** Every open element costs the parser time at each further one; no real page is nested this deeply. */
const DEPTH_LIMIT = 5000
const SKIPPED = new Set(
  'script style noscript template svg math iframe object embed audio video canvas title select datalist map'.split(' '),
)
const BLOCKS = new Set(
  `address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form header
  hr legend main nav option p section summary caption thead tbody tfoot`.split(/\s+/),
)
const GAPS = new Set('table pre'.split(' '))
const LISTS = new Set('ul ol menu'.split(' '))
const CONTROLS = new Set(['input', 'button', 'textarea'])

/**
 * Adds what a person would read on a page: no scripts, no styles, nothing hidden. Headings, lists and tables keep their
 * form.
 * @returns false when it is nested too deeply: the rest is left out
 */
export function addHtml(html: string, out: BlockText): boolean {
  /** Depth inside skipped content; each element counts, so that its end is found. */
  let skipping = 0
  let exact = 0
  let lists = 0
  const open: boolean[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const skips = skipping > 0 || SKIPPED.has(name) || CONTROLS.has(name) || isHidden(attributes)
        open.push(skips)
        if (skips) return void skipping++
        const heading = /^h([1-6])$/.exec(name)
        if (heading !== null) out.gap(`${'#'.repeat(Number(heading[1]))} `)
        else if (name === 'br') out.line()
        else if (name === 'li') out.line(`${'  '.repeat(Math.min(Math.max(lists, 1), 9) - 1)}- `)
        else if (LISTS.has(name) && lists++ > 0) out.line()
        else if (name === 'tr') out.row()
        else if (name === 'td' || name === 'th') out.cell()
        else if (name === 'img' && attributes['alt']) out.text(` [${attributes['alt']}] `)
        else if (GAPS.has(name) || LISTS.has(name)) out.gap()
        else if (BLOCKS.has(name)) out.line()
        if (name === 'pre') exact++
      },
      ontext(text) {
        if (skipping === 0) out.text(text, exact > 0)
      },
      onclosetag(name) {
        if (open.pop() === true) return void skipping--
        if (name === 'pre') exact--
        if (name === 'tr') out.endRow()
        else if (LISTS.has(name) && --lists > 0) out.line()
        else if (LISTS.has(name)) out.gap()
        else if (GAPS.has(name) || /^h[1-6]$/.test(name)) out.gap()
        else if (name === 'p') out.gap()
        else if (BLOCKS.has(name) || name === 'li') out.line()
      },
    },
    { decodeEntities: true },
  )
  for (let at = 0; at < html.length && !out.full; at += PIECE) {
    if (open.length > DEPTH_LIMIT) return false
    parser.write(html.slice(at, at + PIECE))
  }
  parser.end()
  return true
}

/** What a person cannot see isn't given to a model either: that is where instructions are hidden. */
function isHidden(attributes: Readonly<Record<string, string>>): boolean {
  if (Object.hasOwn(attributes, 'hidden')) return true
  const style = attributes['style']
  return style !== undefined && /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(style)
}
