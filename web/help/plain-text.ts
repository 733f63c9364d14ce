import type { Token, Tokens } from 'marked'

/** The visible text of these tokens, without formatting and pictures; blocks are separated by a space. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('')
}

function textOf(token: Token): string {
  switch (token.type) {
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return `${[header, ...rows].flatMap((row) => row.map((cell) => plainText(cell.tokens))).join(' ')} `
    }
    case 'list':
      return `${(token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ')} `
    case 'code':
      return `${(token as Tokens.Code).text} `
    case 'image':
    case 'html':
      return ''
    case 'br':
    case 'space':
      return ' '
    default: {
      const inside = token as { tokens?: Token[]; text?: string }
      const text = inside.tokens === undefined ? (inside.text ?? '') : plainText(inside.tokens)
      return token.type === 'paragraph' || token.type === 'blockquote' ? `${text} ` : text
    }
  }
}
