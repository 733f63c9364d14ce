import { expect, test } from 'vitest'
import { auditObject } from './audit-words.ts'

const called = (tool: string, given: object) =>
  auditObject({ action: 'tool.called', target: 'tcl_1', details: { tool, arguments: JSON.stringify(given) } })

test('a command is itself, any other call its tool with its arguments, on one line that ends', () => {
  expect(called('system.run_command', { command: 'df', args: ['-h', '/'] })).toBe('df -h /')
  expect(called('notes.add', { title: 'a\nb', tags: ['x'] })).toBe('notes.add title=a b tags=["x"]')
  expect(called('notes.add', { title: 'x'.repeat(500) })).toHaveLength(161)
})

test('arguments that were cut, and entries without any, are told as they are', () => {
  const details = { tool: 'notes.add', arguments: '{"title":"begi' }
  expect(auditObject({ action: 'tool.called', target: 'tcl_1', details })).toBe('notes.add {"title":"begi')
  expect(auditObject({ action: 'tool.called', target: 'tcl_1', details: { tool: 'notes.add' } })).toBe('notes.add')
  expect(auditObject({ action: 'file.downloaded', target: 'fil_1', details: { name: 'a.pdf' } })).toBe('a.pdf')
  expect(auditObject({ action: 'file.deleted', target: 'fil_1', details: {} })).toBe('fil_1')
})
