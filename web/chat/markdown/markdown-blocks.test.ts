import { expect, test } from 'vitest'
import { healTable, healTail, noBlocks, readBlocks } from './markdown-blocks.ts'

const document = `# Title

A paragraph with **bold**, *italic*, \`code\` and a [link](https://example.org/a_b).
Second line.

- one
- two
  - nested

  with a paragraph
- three

1. first

   \`\`\`sh
   ls -la
   \`\`\`
2. second

\`\`\`ts
const a = 1

# no heading
\`\`\`

| a | b |
|---|--:|
| 1 | 2 |
| 3 | 4 |

> quote
> more

Setext
------

<div onclick="x">html</div>

Last *words*.
`

test('reading a growing text gives, at every length, what reading it at once gives', () => {
  for (const size of [1, 2, 5, 17]) {
    let memory = noBlocks
    for (let end = 0; end <= document.length; end += size) {
      const source = document.slice(0, end)
      memory = readBlocks(source, memory)
      expect(memory.blocks.map((block) => [block.type, block.raw])).toEqual(
        readBlocks(source).blocks.map((block) => [block.type, block.raw]),
      )
    }
  }
})

test('settled blocks keep their identity', () => {
  const before = readBlocks('one\n\ntwo\n\nthr')
  const after = readBlocks('one\n\ntwo\n\nthree', before)
  expect(after.blocks.map((block) => block.raw)).toEqual(['one', '\n\n', 'two', '\n\n', 'three'])
  expect(after.blocks[0]).toBe(before.blocks[0])
})

test('an open end is closed', () => {
  expect(healTail('see **bo')).toBe('see **bo**')
  expect(healTail('see **')).toBe('see ')
  expect(healTail('run `ls')).toBe('run `ls`')
  expect(healTail('a [link](https://exa')).toBe('a link')
  expect(healTail('a ![alt](https://exa')).toBe('a ')
  expect(healTail('done **bold** and `code`')).toBe('done **bold** and `code`')
  expect(healTail('```sh\nls **')).toBe('```sh\nls **')
})

test('a table is one from its first words on', () => {
  expect(healTable('| Name')).toBe('| Name\n|---|')
  expect(healTable('Text:\n| Name | **Si')).toBe('Text:\n| Name | **Si**\n|---|---|')
  expect(healTable('| a \\| b | c |\n|--')).toBe('| a \\| b | c |\n|---|---|')
  expect(healTable('|')).toBeNull()
  expect(healTable('ls | wc')).toBeNull()
})
