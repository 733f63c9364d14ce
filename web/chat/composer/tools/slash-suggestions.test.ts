import { describe, expect, test } from 'vitest'
import type { ToolEntry } from '../../../../contract/chat.ts'
import { suggest, withHost } from './slash-suggestions.ts'

function tool(module: string, name: string, properties: Record<string, unknown>): ToolEntry {
  const input_schema = { type: 'object', properties }
  return { module, tool: name, title: name, description: '', effect: 'read', policy: 'allow', tokens: 9, input_schema }
}

const TOOLS = [tool('system', 'disks', { host: {} }), tool('system', 'ask', {}), tool('http', 'get', { host: {} })]
const HOSTS = ['local', 'web-1', 'Web-2', '#web', '#all']

/** What is offered with the caret at `|`. */
function offered(typed: string): readonly string[] | null {
  const caret = typed.indexOf('|')
  const found = suggest(typed.replace('|', ''), caret, [], TOOLS, HOSTS)
  return found?.flatMap((one) => (one.kind === 'host' ? [one.word] : [])) ?? null
}

describe('after host= of a tool of machines', () => {
  test.each([
    ['/system.disks host=|', HOSTS],
    ['/system.disks all=true host=w|', ['web-1', 'Web-2']],
    ['/system.disks host=#| all=true', ['#web', '#all']],
  ])('%s', (typed, words) => expect(offered(typed)).toEqual(words))

  test.each([
    '/system.disks host=web-1|',
    '/system.disks host=WEB-2|',
    '/system.disks host=x|',
    '/system.disks host=w|eb',
    '/system.disks host=web-1 |',
    '/system.ask host=w|',
    '/http.get host=w|',
    'disks host=w|',
  ])('nothing is offered, so Enter sends: %s', (typed) => expect(offered(typed)).toBeNull())

  test('the chosen one takes the place of what was typed of it', () => {
    expect(withHost('/system.disks host=w', 20, 'web-1')).toBe('/system.disks host=web-1 ')
    expect(withHost('/system.disks host= all=true', 19, '#all')).toBe('/system.disks host=#all all=true')
  })
})
