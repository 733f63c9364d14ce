import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoDebian } from './stage/machines/debian-root.ts'
import { openRootMachine, type RootMachine, type Shell, whyNoShell } from './stage/machines/root-machine.ts'

const LIMIT_MS = 600_000
const SHELLS: readonly Shell[] = ['dash', 'bash', 'busybox']
/** Requests for each shell. Each costs a process or ten: REEVE_FUZZ=3334 makes the 10,000 that a release is tested with. */
const EACH = Number(process.env['REEVE_FUZZ'] ?? 400)
const HASH = '0'.repeat(64)

/** Requests as they should be; each is changed at least once before it is sent. */
const WHOLE = [
  ['hello'],
  ['status'],
  ['service', 'action restart', 'unit toy.service'],
  ['package', 'action remove', 'name toy', `plan ${HASH}`],
  ['plan', 'action remove', 'name toy'],
  ['file', 'action write', 'path /etc/toy/file', `if_hash ${HASH}`, 'length 4'],
  ['file', 'action create', 'path /etc/toy/file', 'mode 644', 'owner root:root', 'length 4'],
  ['file', 'action restore', 'path /etc/toy/file', 'if_hash none', `backup ${HASH.slice(32)}`],
  ['user', 'action lock', 'name anna'],
  ['user', 'action groups', 'name anna', 'group users'],
  ['user', 'action delete', 'name anna', 'home remove'],
  ['journal', 'days 1'],
  ['power', 'action reboot', 'minutes 0'],
  ['command', 'deadline 10', 'length 18'],
]
const PIECES = [
  '$(touch /tmp/done)',
  '`touch /tmp/done`',
  ';touch /tmp/done;',
  '|touch /tmp/done',
  "'",
  '"',
  '\\',
  '*',
  '?',
  '~',
  '&',
  '>/tmp/done',
  '<',
  '\n',
  '\r',
  '\0',
  '\xff',
  ' ',
  '\t',
  '../',
  '/',
  '-',
  '--',
  '%s%n',
  '${HOME}',
  '$0',
  '#',
  '!',
  '/etc/shadow',
  'root',
  'sudo',
  'reeve-op',
  'ssh.service',
  '99999999999999999999',
  '=',
  ':',
  'a'.repeat(5000),
]

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function requestOf(index: number): Buffer {
  const below = numbers(index + 1)
  for (let i = 0; i < 5; i++) below(1)
  const lines = [...WHOLE[below(WHOLE.length)]!]
  const id = (index + 1).toString(16).padStart(32, '0')
  let text = `reeve-op 1\nid ${id}\n${lines.join('\n')}\n\n`
  text += lines.includes('length 4') ? 'toy\n' : lines.includes('length 18') ? 'touch /tmp/command' : ''
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(text.length + 1)
    const piece = PIECES[below(PIECES.length)]!
    const all = text.split('\n')
    const line = below(all.length)
    text = [
      () => text.slice(0, at) + piece + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1 + below(8)),
      () => text.slice(0, at),
      () => text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + 1),
      () => all.toSpliced(line, 0, all[below(all.length)]!).join('\n'),
      () => all.toSpliced(line, 1).join('\n'),
      () => all.with(line, `${all[line]!.split(' ', 1)[0]} ${piece}`).join('\n'),
    ][below(7)]!()
  }
  return Buffer.from(text, 'latin1')
}

const why = whyNoDebian()
describe.skipIf(why !== null)(`10,000 requests that are not right${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let scratch: string
  let machine: RootMachine
  let missing: string | null = null
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'reeve-op-'))
    const opened = await openRootMachine(join(scratch, 'machine'))
    if (typeof opened === 'string') return void (missing = opened)
    machine = opened
    await machine.allow(
      'allow service toy.service',
      'allow package remove',
      'allow file /etc/toy',
      'allow user lock groups delete',
      'allow group users',
    )
    machine.sh('mkdir /etc/toy')
  }, LIMIT_MS)
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]()
    await rm(scratch, { recursive: true, force: true })
  })

  test.for(SHELLS.map((shell, part) => ({ shell, part })))(
    'with $shell as its shell',
    { timeout: LIMIT_MS },
    async ({ shell, part }, { skip }) => {
      const reason = missing ?? whyNoShell(shell)
      if (reason !== null) return skip(reason)
      await machine.useShell(shell)
      const folder = join(machine.folder, 'root/requests')
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder)
      for (let i = 0; i < EACH; i++) await writeFile(join(folder, String(i)), requestOf(part * EACH + i))
      // The program as it is, without a new shell for each request: in a process of its own, forked from one that is there.
      await machine.put(
        '/root/many',
        `if [ "$\{1-}" = work ]; then . /usr/local/libexec/reeve-op; fi
set -- clean
cd /root/requests
for request in *; do (. /usr/local/libexec/reeve-op) <"$request" 2>/dev/null | { read -r first; echo "$first"; }; done`,
      )
      machine.sh('touch /root/mark')
      const answers = machine
        .sh('env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C /bin/sh /root/many')
        .trimEnd()
        .split('\n')
      const count = (word: string): number => answers.filter((answer) => answer === word).length
      expect(answers.length).toBe(EACH)
      expect([...new Set(answers)].filter((word) => !['ok', 'refused', 'failed'].includes(word))).toEqual([])
      // Some changes leave a question what it was. What is allowed finds no such account, unit or package.
      expect(count('refused')).toBeGreaterThan(EACH * 0.9)
      const changed = machine.sh(
        'find / -xdev -newer /root/mark -not -path "/proc/*" -not -path "/var/lib/reeve-op/*" -not -path "/srv/*" -not -path "/var/cache/apt/*" -type f',
      )
      expect(changed.split('\n').filter((path) => path !== '' && !path.startsWith('/etc/toy/'))).toEqual([])
    },
  )
})
