import type { Token } from 'marked'
import { describe, expect, test } from 'vitest'
import { type Footnote, type MathToken, readTokens } from './markdown-lexer.ts'

/** The formulas of a text. */
function formulas(source: string): string[] {
  const found: string[] = []
  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === 'math') found.push((token as MathToken).text)
      else if ('tokens' in token && token.tokens) walk(token.tokens)
      else if ('items' in token) walk(token['items'] as Token[])
    }
  }
  walk(readTokens(source))
  return found
}

describe('formulas', () => {
  test.each([
    ['$$\na + b\n= c_1\n$$', ['a + b\n= c_1']],
    ['Text\n$$x$$\nmore', ['x']],
    ['\\[ \\frac{1}{2} \\]', ['\\frac{1}{2}']],
    ['so \\(a_1\\) and \\(b*c*d\\)', ['a_1', 'b*c*d']],
    [
      'the $x$ of $x^2 + y_{max} = 5$, $\\alpha$ and $f(x) = \\sin x$.',
      ['x', 'x^2 + y_{max} = 5', '\\alpha', 'f(x) = \\sin x'],
    ],
    ['- in a list $a \\le b$', ['a \\le b']],
  ])('%j', (source, found) => {
    expect(formulas(source)).toEqual(found)
  })
  test.each([
    'It costs $5 and $10.',
    '$5-$10',
    'between $5/month and 7$/month',
    'echo $HOME and $PATH',
    '$HOME/$USER',
    '$USER_NAME$',
    'set $a=$b',
    '$PATH:$HOME=x$',
    '`$x$` and `\\(a\\)`',
    '```\n$$\na\n$$\n```',
    'US$ x = 4 $',
    '$$',
    '$ x $',
    'A $foo = bar$ of words',
    '\\$x\\$',
    `$$${'x'.repeat(6000)}$$`,
  ])('none: %j', (source) => {
    expect(formulas(source)).toEqual([])
  })
  test.each(['$', '$$', '\\(', '\\[', '[^', '$a', '\\[\n', '[^1]: '])('hostile: %j, very often', (piece) => {
    expect(readTokens(piece.repeat(3000)).length).toBeGreaterThan(0)
  })
})

test('footnotes are read', () => {
  const tokens = readTokens('A fact[^1] and [^note].\n\n[^1]: Where *it* stands\nand goes on.\n[^note]: Another.')
  expect(tokens.filter(({ type }) => type === 'footnote').map((token) => (token as Footnote).label)).toEqual([
    '1',
    'note',
  ])
})
