import { describe, expect, test } from 'vitest'
import { offeredName } from './tool-list.ts'

const named = (module: string, name: string) => offeredName({ module, name })

describe('the name of a tool for clients', () => {
  test('is its module and its own name', () => {
    expect(named('system', 'run_command')).toBe('system__run_command')
    expect(named('my-notes', 'read')).toBe('my-notes__read')
  })

  test('says what it does even where both names are too long', () => {
    const long = 'modelcontextprotocol-server-filesystem'
    expect(named(long, 'list_directory')).toMatch(/^modelcontextprotocol-serve_list_directory_[0-9a-f]{8}$/)
    expect(named(long, 'x'.repeat(80))).toMatch(/^modelcontext_x{28}_[0-9a-f]{8}$/)
    expect(named('short', 'x'.repeat(80))).toMatch(/^short_x{28}_[0-9a-f]{8}$/)
  })

  test('never is what another tool is called, and always one that clients take', () => {
    const odd = [
      ['a', 'b__c'],
      ['a__b', 'c'],
      ['a_', 'b'],
      ['a', '_b'],
      ['a', 'b.c'],
      ['a', 'b_c'],
      ['a.b', 'c'],
      ['a', 'ü'],
      ['1a', 'b'],
      ['module', 'x'.repeat(60)],
      ['module', 'x'.repeat(61)],
    ] as const
    const names = odd.map(([module, name]) => named(module, name))
    expect(new Set(names).size).toBe(odd.length)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,50}$/)
    expect(named('a', 'b_c')).toBe('a__b_c')
  })
})
