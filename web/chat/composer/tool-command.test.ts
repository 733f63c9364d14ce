import { expect, test } from 'vitest'
import type { ToolEntry } from '../../../contract/chat.ts'
import { commandQuery, commandTool, findTools, toolArguments } from './tool-command.ts'

function tool(module: string, name: string, title: string): ToolEntry {
  return { module, tool: name, title, description: '', effect: 'read', policy: 'allow', tokens: 9, input_schema: {} }
}
const tools = [
  tool('system', 'processes', 'Processes'),
  tool('docker', 'ps', 'Containers'),
  tool('system', 'disks', 'Disks'),
]

test('a command is being typed only at the beginning and only until its name ends', () => {
  expect(commandQuery('/', 1)).toBe('')
  expect(commandQuery('/sys', 4)).toBe('sys')
  expect(commandQuery('/sys', 2)).toBeNull()
  expect(commandQuery('/system.disks ', 14)).toBeNull()
  expect(commandQuery('see /sys', 8)).toBeNull()
})

test('tools whose name begins with the query come first', () => {
  expect(findTools(tools, 'ps').map((found) => found.tool)).toEqual(['ps'])
  expect(findTools(tools, 'di').map((found) => found.tool)).toEqual(['disks'])
  expect(findTools(tools, 's').map((found) => found.tool)).toEqual(['processes', 'disks', 'ps'])
  expect(findTools(tools, 'nothing')).toEqual([])
})

test('a complete command names its tool', () => {
  expect(commandTool(tools, '/docker.ps all=true')?.title).toBe('Containers')
  expect(commandTool(tools, '/docker.ps')).toBeNull()
  expect(commandTool(tools, '/docker.rm x')).toBeNull()
})

test('arguments are read from the schema, required first', () => {
  const schema = {
    type: 'object',
    required: ['pid'],
    properties: {
      signal: { enum: ['TERM', 'KILL'] },
      names: { type: 'array', items: { type: 'string' } },
      pid: { type: 'integer', description: 'Process id' },
      limit: { type: ['integer', 'null'] },
    },
  }
  expect(toolArguments(schema).map((argument) => `${argument.name}:${argument.type}:${argument.required}`)).toEqual([
    'pid:integer:true',
    'signal:TERM | KILL:false',
    'names:string[]:false',
    'limit:integer | null:false',
  ])
  expect(toolArguments({})).toEqual([])
})
