import { expect, test } from 'vitest'
import type { Part } from '../../../contract/chat.ts'
import { blocksOf, type Block } from './blocks.ts'

const call = (index: number, id = `tcl_${index}`): Part => ({
  index,
  type: 'tool_call',
  tool_call: {
    tool_call_id: id,
    module: 'm',
    tool: 't',
    title: id,
    effect: 'read',
    status: 'done',
    duration_ms: 1,
    arguments: {},
    result_preview: '',
  },
  approval: null,
  questions: [],
})
const text = (index: number, said: string): Part => ({ index, type: 'text', text: said })
const thought = (index: number): Part => ({ index, type: 'reasoning', text: 'hm' })
const table = (index: number, of: string | null): Part => ({
  index,
  type: 'table',
  tool_call_id: of,
  table: { title: `table ${index}`, columns: [], rows: [], total_rows: 0 },
})
const file = (index: number, of?: string): Part => ({
  index,
  type: 'file',
  file: { file_id: `fil_${index}`, name: 'a', media_type: 'text/plain', size: 1, extension: 'txt' },
  ...(of !== undefined && { tool_call_id: of }),
})

const told = (blocks: readonly Block[]): unknown[] =>
  blocks.map((block) =>
    block.kind === 'part'
      ? block.part.type
      : block.steps.map((step) =>
          'part' in step
            ? [step.part.tool_call.tool_call_id, ...[...step.tables, ...step.files].map(({ index }) => index)]
            : 'thought',
        ),
  )

test('consecutive calls are one block, in the order of their request, each with what it made', () => {
  const parts = [
    thought(0),
    call(1),
    call(2),
    table(3, 'tcl_2'),
    file(4, 'tcl_2'),
    table(5, 'tcl_1'),
    text(6, '\n\n'),
    thought(7),
    call(8),
    text(9, 'The answer.'),
    call(10),
    file(11, 'tcl_10'),
  ]
  expect(told(blocksOf(parts))).toEqual([
    'reasoning',
    [['tcl_1', 5], ['tcl_2', 3, 4], 'thought', ['tcl_8']],
    'text',
    [['tcl_10', 11]],
  ])
})

test('what no call of the answer has made stands where it is', () => {
  expect(told(blocksOf([call(0), table(1, null), file(2), call(3), table(4, 'tcl_other')]))).toEqual([
    [['tcl_0']],
    'table',
    'file',
    [['tcl_3']],
    'table',
  ])
})

test('however far an answer has grown, blocks keep their keys and calls their places', () => {
  const parts = [
    thought(0),
    call(1),
    call(2),
    table(3, 'tcl_2'),
    text(4, 'Said.'),
    call(5),
    table(6, 'tcl_1'),
    text(7, 'x'),
  ]
  const whole = blocksOf(parts)
  for (let length = 0; length <= parts.length; length++) {
    const grown = blocksOf(parts.slice(0, length))
    expect(grown.map(({ key, kind }) => [key, kind])).toEqual(
      whole.slice(0, grown.length).map(({ key, kind }) => [key, kind]),
    )
  }
})
