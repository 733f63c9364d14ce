import type { MarkedToken, Token } from 'marked'
import { resolveCharacterReferences } from './character-references.ts'
import { type Footnote, readTokens } from './markdown-lexer.ts'

/** Markdown as text without marks: its words, lists with dashes, tables with tabs, code as it is. */
export function markdownAsText(source: string): string {
  return blocks(readTokens(source.replaceAll(/\r\n?/g, '\n')))
}

function blocks(tokens: readonly Token[], between = '\n\n'): string {
  return tokens
    .map((token) => (token.type === 'footnote' ? footnote(token as Footnote) : block(token as MarkedToken)))
    .filter((text) => text !== '')
    .join(between)
}

function footnote({ label, tokens }: Footnote): string {
  return `[${label}] ${inlineText(tokens)}`
}

function block(token: MarkedToken): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
    case 'checkbox':
      return ''
    case 'code':
      return token.text
    case 'blockquote':
      return blocks(token.tokens)
    case 'list':
      return token.items
        .map((item, at) => {
          const mark = token.ordered ? `${(token.start === '' ? 1 : token.start) + at}. ` : '- '
          const indent = ' '.repeat(mark.length)
          return mark + blocks(item.tokens, token.loose ? '\n\n' : '\n').replaceAll(/\n(?=[^\n])/g, `\n${indent}`)
        })
        .join(token.loose ? '\n\n' : '\n')
    case 'table':
      return [token.header, ...token.rows]
        .map((row) => row.map((cell) => inlineText(cell.tokens).replaceAll(/\s+/g, ' ')).join('\t'))
        .join('\n')
    case 'html':
      return token.raw.trimEnd()
    default:
      return 'tokens' in token && token.tokens ? inlineText(token.tokens) : token.raw.trim()
  }
}

/** Inline Markdown without its marks: the words that it shows. */
export function inlineText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (token.type === 'footnote_mark' ? `[${String(token['label'])}]` : inline(token as MarkedToken)))
    .join('')
}

function inline(token: MarkedToken): string {
  switch (token.type) {
    case 'br':
      return '\n'
    case 'codespan':
    case 'escape':
    case 'image':
      return token.text
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : /^<\/?[a-z]+>$/i.test(token.raw) ? '' : token.raw
    case 'text':
      return token.tokens ? inlineText(token.tokens) : resolveCharacterReferences(token.text)
    default:
      return 'tokens' in token && token.tokens ? inlineText(token.tokens) : token.raw
  }
}
