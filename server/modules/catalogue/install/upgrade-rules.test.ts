import { describe, expect, test } from 'vitest'
import type { Capabilities } from '../../../../contract/modules.ts'
import { wantsMore, type Reach } from './upgrade-rules.ts'

const NONE: Capabilities = { network: 'none', folders: [], commands: [] }
const REACH: Reach = {
  command: 'node',
  args: ['a'],
  env_keys: ['A', 'B'],
  capabilities: NONE,
  folderKeys: [],
  hostDefaults: [],
}
const capabilities = (more: Partial<Capabilities>): Reach => ({ ...REACH, capabilities: { ...NONE, ...more } })

describe('a version wants more', () => {
  const cases: [string, Reach, Reach, boolean][] = [
    ['the same', REACH, REACH, false],
    ['another command', REACH, { ...REACH, command: 'sh' }, true],
    ['other arguments', REACH, { ...REACH, args: ['a', '-x'] }, true],
    ['a variable less', REACH, { ...REACH, env_keys: ['A'] }, false],
    ['a variable more', REACH, { ...REACH, env_keys: ['A', 'B', 'C'] }, true],
    ['a setting that names folders', REACH, { ...REACH, folderKeys: ['directory a'] }, true],
    ['another own value of a setting that names a host', REACH, { ...REACH, hostDefaults: ['["url","b"]'] }, true],
    ['a host', REACH, capabilities({ network: ['a.example'] }), true],
    ['the whole network', capabilities({ network: ['a.example'] }), capabilities({ network: 'any' }), true],
    ['another host', capabilities({ network: ['a.example'] }), capabilities({ network: ['b.example'] }), true],
    [
      'a host less',
      capabilities({ network: ['a.example', 'b.example'] }),
      capabilities({ network: ['a.example'] }),
      false,
    ],
    ['no network any more', capabilities({ network: 'any' }), REACH, false],
    ['a program', REACH, capabilities({ commands: ['git'] }), true],
    ['a folder', REACH, capabilities({ folders: [{ path: '/srv', write: false }] }), true],
    [
      'to write where it read',
      capabilities({ folders: [{ path: '/srv', write: false }] }),
      capabilities({ folders: [{ path: '/srv', write: true }] }),
      true,
    ],
    [
      'to read where it wrote',
      capabilities({ folders: [{ path: '/srv', write: true }] }),
      capabilities({ folders: [{ path: '/srv', write: false }] }),
      false,
    ],
  ]
  test.each(cases)('%s', (_, agreed, next, more) => {
    expect(wantsMore(agreed, next)).toBe(more)
  })
})
