import { expect, test } from 'vitest'
import { pinTool, type PinnedTool } from '../mcp/pinned-tool.ts'
import { fittingHelpers } from '../mcp/side-tools.ts'
import { agreedTools } from './runtime-tools.ts'

const SAME = { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] }
const UNDO = { type: 'object' as const, properties: { change: { type: 'string' } }, required: ['change'] }
const owner = { module: 'm', version: '1', builtin: false, reach: 'machine' as const }

function tools(named: Record<string, string>, over: { readonly read?: boolean; readonly input?: object } = {}) {
  const input = { ...SAME, ...over.input }
  const all = [
    { name: 'edit', inputSchema: SAME, _meta: { 'dev.reeve': named }, annotations: { destructiveHint: true } },
    { name: 'look', inputSchema: input, annotations: { readOnlyHint: over.read ?? true } },
    { name: 'back', inputSchema: UNDO, annotations: { destructiveHint: false } },
  ]
  return new Map(all.map((each): [string, PinnedTool] => [each.name, pinTool(each, owner)]))
}
const NAMED = { preview: 'look', verify: 'look', undo: 'back' }
const pinsOf = (all: ReadonlyMap<string, PinnedTool>) =>
  new Map([...all].map(([name, { definition_hash }]) => [name, definition_hash]))

test.each([
  ['gone', { preview: 'nowhere' }, {}, 'there is no such tool'],
  ['itself', { verify: 'edit' }, {}, 'cannot name itself'],
  ['one that writes', { preview: 'look' }, { read: false }, 'does not only read'],
  ['one that needs more', { preview: 'look' }, { input: { required: ['path', 'more'] } }, 'the same arguments'],
  [
    'one that takes less',
    { preview: 'look' },
    { input: { properties: {}, required: [], additionalProperties: false } },
    'the same arguments',
  ],
  ['an undo without a change', { undo: 'look' }, {}, 'does not take a change'],
])('a tool that names %s: ignored, and said', (_, named, over, why) => {
  const { tools: fitted, problems } = fittingHelpers(tools(named, over))
  expect(problems.map(String)).toEqual([expect.stringContaining(why)])
  expect(fitted.get('edit')).not.toHaveProperty(Object.keys(named)[0]!)
})

test('what fits counts with consent only, and while both tools are as agreed to', () => {
  const { tools: all, problems } = fittingHelpers(tools(NAMED))
  expect(problems).toEqual([])
  const pins = pinsOf(all)
  const with_ = agreedTools(all, pins, true)
  expect(with_.get('edit')).toMatchObject(NAMED)
  expect([with_.get('look')?.hidden, with_.get('back')?.hidden]).toEqual([true, undefined])
  const without = agreedTools(all, pins, false)
  expect(without.get('edit')).not.toHaveProperty('preview')
  expect(without.get('look')).not.toHaveProperty('hidden')
  pins.set('look', 'another')
  expect(agreedTools(all, pins, true).get('edit')).not.toHaveProperty('preview')
  expect(agreedTools(all, pins, true).get('edit')).toMatchObject({ undo: 'back' })
})

test('what a tool names is part of its definition; naming nothing leaves the hash as it was', () => {
  const hash = (named: Record<string, string>) => tools(named).get('edit')!.definition_hash
  expect(hash(NAMED)).not.toBe(hash({}))
  // What it says of a call is shown to whoever approves it.
  expect(hash({ summary: 'x' })).not.toBe(hash({}))
  expect(hash({ words: 'x' })).toBe(hash({}))
})
