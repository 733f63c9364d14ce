import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Capabilities } from '../contract/modules.ts'
import type { Findings } from '../server/sandbox/findings.ts'
import { say } from '../server/kernel/sentence.ts'
import { chooseIsolation, possibleLevels } from '../server/modules/process/isolation-ladder.ts'
import { openSandbox } from '../server/modules/process/sandbox.ts'
import { isolationWorks, NODE_LEVEL, NOTHING } from './stage/modules/sandbox-stage.ts'

const NODE = '/opt/node/bin/node'
const LAUNCH = { command: 'node', args: ['server.js'], env: {}, bundleFolder: '/b', dataFolder: '/d' }
const GOOD: Findings = {
  node: NODE,
  path: ['/usr/bin'],
  bwrap: { path: '/usr/bin/bwrap', why: null, nested: false },
  permission: { files: true, network: true },
  setpriv: null,
  prlimit: null,
  root: false,
}
const NO_BWRAP: Findings = { ...GOOD, bwrap: { ...GOOD.bwrap, why: say`it is not installed` } }
const OLD_NODE: Findings = { ...NO_BWRAP, permission: { files: true, network: false } }
const OLDEST_NODE: Findings = { ...NO_BWRAP, permission: { files: false, network: false } }
const HOSTS: Capabilities = { ...NOTHING, network: ['a.example.com', 'b.example.com'] }
const OPEN: Capabilities = { ...NOTHING, network: 'any' }

test.each([
  ['bubblewrap', GOOD, LAUNCH, NOTHING, 'isolated', /no network\.$/],
  ['bubblewrap, hosts', GOOD, LAUNCH, HOSTS, 'isolated', /network only to a\.example\.com, b\.example\.com/],
  ['bubblewrap, any', GOOD, LAUNCH, OPEN, 'isolated', /open to it, as granted, this machine and its network included/],
  ['bubblewrap, no hosts', GOOD, LAUNCH, { ...NOTHING, network: [] }, 'isolated', /no network\.$/],
  ['bubblewrap, another program', GOOD, { ...LAUNCH, command: 'python' }, NOTHING, 'isolated', /own view/],
  [
    'new Node',
    NO_BWRAP,
    LAUNCH,
    NOTHING,
    'restricted',
    /It has no network\. bubblewrap cannot keep it apart: it is not installed\.$/,
  ],
  ['new Node by its path', NO_BWRAP, { ...LAUNCH, command: NODE }, NOTHING, 'restricted', /no network/],
  ['new Node, any', NO_BWRAP, LAUNCH, OPEN, 'restricted', /network is open to it, as granted/],
  ['new Node, hosts', NO_BWRAP, LAUNCH, HOSTS, 'guarded', /not limited to the granted hosts/],
  [
    'new Node, programs',
    NO_BWRAP,
    LAUNCH,
    { ...NOTHING, commands: ['git'] },
    'restricted',
    /Programs that it starts are not limited/,
  ],
  ['old Node', OLD_NODE, LAUNCH, NOTHING, 'guarded', /network is not limited/],
  ['oldest Node', OLDEST_NODE, LAUNCH, NOTHING, 'process', /this Node cannot limit it/],
  ['another program', NO_BWRAP, { ...LAUNCH, command: '/usr/bin/python3' }, NOTHING, 'process', /python3 is not Node/],
  [
    'as root',
    { ...OLD_NODE, root: true },
    LAUNCH,
    NOTHING,
    'guarded',
    /The service runs as root, and so does the module\.$/,
  ],
] as const)('%s', (_, findings, launch, grants, level, reason) => {
  const isolation = chooseIsolation(findings, launch, grants as Capabilities)
  expect(isolation.level).toBe(level)
  expect(isolation.reason.toString()).toMatch(reason)
})

test('what works here is listed best first', () => {
  expect(possibleLevels(GOOD).map(({ level }) => level)).toEqual(['isolated'])
  expect(possibleLevels(NO_BWRAP).map(({ level }) => level)).toEqual(['restricted', 'process'])
  expect(possibleLevels(OLD_NODE).map(({ level }) => level)).toEqual(['guarded', 'process'])
  expect(possibleLevels(OLDEST_NODE).map(({ level }) => level)).toEqual(['process'])
  expect(possibleLevels(OLD_NODE).every(({ reason }) => reason.toString().includes('it is not installed'))).toBe(true)
})

describe('finding out', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-ladder-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function levelsWith(script: string) {
    const bwrap = join(folder, 'bwrap')
    writeFileSync(bwrap, `#!/bin/sh\n${script}\n`)
    chmodSync(bwrap, 0o755)
    const log = { info: () => undefined, warn: () => undefined }
    // Once by waiting for it, once by asking at once: the answer is the same.
    await using first = await openSandbox({ log, node: process.execPath, bwrap })
    await first.ready()
    await using second = await openSandbox({ log, node: process.execPath, bwrap })
    expect(second.levels).toEqual(first.levels)
    return first.levels
  }

  test('believes no program that is there but does not work', async () => {
    const levels = await levelsWith('echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')
    expect(levels[0]?.level).toBe(NODE_LEVEL)
    expect(levels[0]?.reason.toString()).toContain('it says “bwrap: setting up uid map: Permission denied”')
    expect((await levelsWith('exit 0'))[0]?.reason.toString()).toContain('it does not start')
  })

  test.skipIf(!isolationWorks)('is content with an older bubblewrap', async () => {
    const found = await levelsWith('case "$*" in *--disable-userns*) exit 1;; esac\nexec bwrap "$@"')
    expect(found[0]?.level).toBe('isolated')
  })
})
