import { describe, expect, test } from 'vitest'
import { withoutMarks } from './without-marks.ts'

describe('Markdown without its marks', () => {
  test.each([
    ['## What it **means**', 'What it means'],
    ['> - [x] *done* and ~~gone~~', 'done and gone'],
    ['See [the manual](https://example.org/a_(b)) and ![plan](x.png).', 'See the manual and plan.'],
    ['run `ls -la **/*` or ``a``', 'run ls -la **/* or a'],
    ['```sh\nls -- *_x_*\n```\nthen', 'ls -- *_x_*\nthen'],
    ['| Name | **Size** |\n|---|--:|\n| a | 1 |', 'Name · Size\na · 1'],
    ['before\n\n---\n\nafter', 'before\n\n\nafter'],
    ['snake_case_name, 2 * 3 * 4, a*b*c and x__y', 'snake_case_name, 2 * 3 * 4, a*b*c and x__y'],
    ['_so_ and __so__', 'so and so'],
    ['a \\* b', 'a * b'],
    ['ls | wc -l > file', 'ls | wc -l > file'],
    ['/files.read path=a-b', '/files.read path=a-b'],
    ['1. first', '1. first'],
    ['-5 degrees, #1 and a # b', '-5 degrees, #1 and a # b'],
    ['[not a link] (at all)', '[not a link] (at all)'],
  ])('%j', (marked, plain) => {
    expect(withoutMarks(marked)).toBe(plain)
  })
  test.each(['[', '[a](', '**', '`', '_a', '| ', '> ', '![', '\\', '- '])('hostile: %j, very often', (piece) => {
    expect(withoutMarks(piece.repeat(20_000)).length).toBeLessThanOrEqual(piece.length * 40_000)
  })
})
