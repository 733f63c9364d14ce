import { CommandMention, isCommand } from '../composer/command-mention.tsx'
import { Fragment, type ReactNode } from 'react'
import type { MarkedToken, Token, Tokens } from 'marked'
import { resolveCharacterReferences } from './character-references.ts'
import { MarkdownCode } from './markdown-code.tsx'
import { FootnoteLink, FootnoteText } from './markdown-footnotes.tsx'
import type { Footnote, FootnoteMark, MathToken } from './markdown-lexer.ts'
import { MarkdownMath } from './markdown-math.tsx'
import { MarkdownTable } from './markdown-table.tsx'
import { safeImage, safeLink } from './safe-url.ts'
import { t } from '../../text/i18n.ts'

/**
 * Tags, without attributes, that a text may use for what markdown has no syntax for. Every other tag is shown as
 * written.
 */
const INLINE_TAGS = ['b', 'strong', 'i', 'em', 'u', 's', 'del', 'sub', 'sup', 'kbd', 'mark', 'small', 'code'] as const
type InlineTag = (typeof INLINE_TAGS)[number]

/**
 * Renders Markdown tokens as elements. No HTML string is ever built: a model's output becomes the text of elements
 * chosen here, so it cannot become a script, a style, a form or a request to another host.
 */
export function renderTokens(tokens: readonly Token[]): ReactNode {
  const output: ReactNode[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as MarkedToken
    if (token.type === 'html') {
      const tag = openingTag(token.raw)
      const end = tag ? closingTag(tokens, at, tag) : -1
      if (tag && end > at) {
        const Tag = tag
        output.push(<Tag key={at}>{renderTokens(tokens.slice(at + 1, end))}</Tag>)
        at = end
        continue
      }
    }
    output.push(<Fragment key={at}>{renderOurs(token) ?? renderToken(token)}</Fragment>)
  }
  return output
}

/** What is not in CommonMark; null: it is. */
function renderOurs(token: Token): ReactNode | null {
  if (token.type === 'math') return <MarkdownMath token={token as MathToken} />
  if (token.type === 'footnote_mark') return <FootnoteLink mark={token as FootnoteMark} />
  if (token.type !== 'footnote') return null
  const { label, tokens } = token as Footnote
  return <FootnoteText label={label}>{renderTokens(tokens)}</FootnoteText>
}

function renderToken(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'paragraph':
      return <p>{renderTokens(token.tokens)}</p>
    case 'heading':
      return renderHeading(token)
    case 'code':
      return <MarkdownCode code={token.text} language={token.lang ?? ''} />
    case 'blockquote':
      return <blockquote>{renderTokens(token.tokens)}</blockquote>
    case 'hr':
      return <hr />
    case 'list':
      return renderList(token)
    case 'list_item':
      return <li>{renderTokens(token.tokens)}</li>
    case 'checkbox':
      return (
        <input
          type="checkbox"
          checked={token.checked}
          disabled
          aria-label={t(token.checked ? 'chat.task_done' : 'chat.task_open')}
        />
      )
    case 'table':
      return <MarkdownTable token={token} render={renderTokens} />
    case 'html':
      return isLineBreak(token.raw) ? <br /> : renderMarkup(token)
    case 'strong':
      return <strong>{renderTokens(token.tokens)}</strong>
    case 'em':
      return <em>{renderTokens(token.tokens)}</em>
    case 'del':
      return <del>{renderTokens(token.tokens)}</del>
    case 'codespan':
      return isCommand(token.text) ? <CommandMention command={token.text} /> : <code>{token.text}</code>
    case 'br':
      return <br />
    case 'link':
      return renderLink(token)
    case 'image':
      return renderImage(token)
    case 'escape':
      return token.text
    case 'text':
      return token.tokens ? renderTokens(token.tokens) : resolveCharacterReferences(token.text)
  }
}

/** Headings in an answer rank below the page's h1 and the message's h2. */
function renderHeading(token: Tokens.Heading): ReactNode {
  const children = renderTokens(token.tokens)
  if (token.depth === 1) return <h3 data-depth="1">{children}</h3>
  if (token.depth === 2) return <h4 data-depth="2">{children}</h4>
  return <h5>{children}</h5>
}

function renderList(token: Tokens.List): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index} data-task={item.task || undefined}>
      {renderTokens(item.tokens)}
    </li>
  ))
  return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>
}

function renderLink(token: Tokens.Link): ReactNode {
  const href = safeLink(token.href)
  if (href === null) return <span className="markdown-blocked">{token.raw}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={token.title ?? undefined}>
      {renderTokens(token.tokens)}
    </a>
  )
}

function renderImage(token: Tokens.Image): ReactNode {
  const src = safeImage(token.href)
  if (src !== null) return <img src={src} alt={token.text} title={token.title ?? undefined} loading="lazy" />
  return (
    <span className="markdown-blocked" title={t('chat.image_blocked_why')}>
      {t('chat.image_blocked', { alt: token.text, address: token.href })}
    </span>
  )
}

function renderMarkup(token: Tokens.HTML | Tokens.Tag): ReactNode {
  return token.block ? <pre className="markdown-markup">{token.raw.trimEnd()}</pre> : token.raw
}

function openingTag(raw: string): InlineTag | null {
  return INLINE_TAGS.find((tag) => raw.toLowerCase() === `<${tag}>`) ?? null
}

function isLineBreak(raw: string): boolean {
  return /^<br\s*\/?>\s*$/i.test(raw)
}

/** Index of the token that closes `tag`, or -1. */
function closingTag(tokens: readonly Token[], from: number, tag: InlineTag): number {
  let depth = 0
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at]
    if (token?.type !== 'html') continue
    const raw = token.raw.toLowerCase()
    if (raw === `<${tag}>`) depth++
    if (raw === `</${tag}>` && --depth === 0) return at
  }
  return -1
}
