import { expect, test } from 'vitest'
import type { Step } from '../run/step.ts'
import { moduleWords } from './module-words.ts'

const said: Record<string, string> = { first: 'Short.', second: 'Very long. '.repeat(400), third: 'Short, too.' }
const ports = {
  tools: { instructions: (module: string) => said[module] ?? null },
  secrets: { mask: (_module: string, text: string) => text },
}
const step = { ports } as unknown as Pick<Step, 'ports'>
const tools = [...Object.keys(said), 'silent'].map((module) => ({
  name: `${module}.look`,
  description: '',
  input_schema: {},
}))
const heard = (context_tokens: number) =>
  [...moduleWords(step, tools, context_tokens, 1).matchAll(/<data from="module (\w+)">/g)].map(([, module]) => module)

test('what a module says at too great a length takes no room from the others', () => {
  expect(heard(200_000)).toEqual(['first', 'second', 'third'])
  expect(heard(8000)).toEqual(['first', 'third'])
  expect(moduleWords(step, tools, 500, 1)).toBe('')
})
