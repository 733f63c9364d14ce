import { expect, test } from 'vitest'
import { markdownAsText } from './plain-text.ts'

test('Markdown as text has its words and none of its marks', () => {
  expect(
    markdownAsText(
      '# A **title**\n\nSee [the *manual*](https://example.org) & `ls -la`.\nSecond<br>line \\* &mdash; ![plan](x.png)\n\n' +
        '- one\n- two\n  1. nested\n\n> quote\n\n```sh\nls **\n```\n\n| a | b |\n|---|--:|\n| `1` | **2** |\n\n---\n\nH<sub>2</sub>O',
    ),
  ).toBe(
    'A title\n\nSee the manual & ls -la.\nSecond\nline * — plan\n\n- one\n- two\n  1. nested\n\nquote\n\nls **\n\na\tb\n1\t2\n\nH2O',
  )
})
