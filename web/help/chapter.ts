import { lexer, type Token, type Tokens, walkTokens } from 'marked'
import { plainText } from './plain-text.ts'

/** A heading in a text. `id` is the same in every language: `## Decide {#decide}` sets it. */
export interface ChapterHeading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

export interface ChapterBlock {
  readonly token: Token
  /** Set when the block is a heading. */
  readonly heading?: ChapterHeading
}

/**
 * A section as plain text, which is what search finds: a heading with everything below it. The start of a text has no
 * id.
 */
export interface ChapterSection {
  readonly id: string
  readonly heading: string
  readonly text: string
}

export interface HelpMarkdown {
  readonly blocks: readonly ChapterBlock[]
  readonly headings: readonly ChapterHeading[]
  readonly sections: readonly ChapterSection[]
}

export interface Chapter extends HelpMarkdown {
  /** File name without `.md`; part of its address. */
  readonly id: string
  readonly title: string
  readonly order: number
  readonly audience: 'everyone' | 'administrators'
}

const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n/
const NAME = /\s*\{#([a-z0-9-]+)\}$/

/**
 * Parses a chapter of the guide: front matter (`title`, `order`, `for`), then Markdown. Throws without front matter.
 */
export function readChapter(id: string, source: string): Chapter {
  const front = FRONT_MATTER.exec(source)
  if (front === null) throw new Error(`The chapter ${id} has no front matter.`)
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(front[1]!)?.[1]?.trim() ?? ''
  const title = field('title')
  return {
    id,
    title,
    order: Number(field('order')),
    audience: field('for') === 'administrators' ? 'administrators' : 'everyone',
    ...readHelpMarkdown(source.slice(front[0].length), title, (href) => addressOf(id, href)),
  }
}

/** Parses our own Markdown. `address` turns a link in the repository into one in this service. */
export function readHelpMarkdown(
  source: string,
  title: string,
  address: (href: string) => string = (href) => href,
): HelpMarkdown {
  const tokens = lexer(source, { gfm: true })
  void walkTokens(tokens, (token) => {
    if (token.type === 'link') token.href = address(String(token.href))
  })
  const blocks = tokens.map((token): ChapterBlock => {
    return token.type === 'heading' ? readHeading(token as Tokens.Heading) : { token }
  })
  const sections = [{ id: '', heading: title, text: '' }]
  for (const { token, heading } of blocks) {
    if (heading !== undefined) sections.push({ id: heading.id, heading: heading.text, text: '' })
    else sections.at(-1)!.text += plainText([token])
  }
  return {
    blocks,
    headings: blocks.flatMap(({ heading }) => heading ?? []),
    sections: sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, ' ').trim() })),
  }
}

/** A heading without its id in braces; without one, the id is derived from the text. */
function readHeading(token: Tokens.Heading): ChapterBlock {
  const id = NAME.exec(token.text)?.[1]
  const last = token.tokens.at(-1)
  const tokens = [...token.tokens]
  if (id !== undefined && last?.type === 'text')
    tokens[tokens.length - 1] = { type: 'text', raw: last.raw, text: (last as Tokens.Text).text.replace(NAME, '') }
  const text = plainText(tokens).trim()
  return { token: { ...token, tokens }, heading: { id: id ?? slugOf(text), text, depth: token.depth } }
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

/** `approvals.md#decide` and `#decide` as addresses of the guide. */
function addressOf(chapter: string, href: string): string {
  const [, file, hash = ''] = /^(?:\.\/)?([a-z0-9-]+)\.md(#.*)?$/.exec(href) ?? []
  if (file !== undefined) return `/help?chapter=${file}${hash}`
  return href.startsWith('#') ? `/help?chapter=${chapter}${href}` : href
}
