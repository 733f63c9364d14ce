import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Command } from '../../modules/machines.ts'
import { runGroup } from './run-group.ts'
import { readSpace } from './space.ts'

const { signal } = new AbortController()
const run = (argv: Command['argv'], more: Partial<Command> = {}, until = signal) =>
  runGroup({ argv, deadline_ms: 60_000, max_bytes: 1000, ...more }, null, until)

test('what ran and how it ended', async () => {
  expect(await run(['/bin/sh', '-c', 'cat; echo no >&2; exit 3'], { stdin: 'yes', cwd: '/' })).toMatchObject({
    kind: 'ended',
    exit_code: 3,
    signal: null,
    stdout: 'yes',
    stderr: 'no\n',
    stopped: null,
    background: false,
  })
})

test('more output than wanted is cut in the middle, with its size', async () => {
  const end = await run(['/bin/sh', '-c', 'i=0; while [ $i -lt 500 ]; do echo "line $i"; i=$((i+1)); done'])
  if (end.kind !== 'ended') throw new Error(end.kind)
  expect(end.stdout).toMatch(/^line 0\n[\s\S]*bytes left out[\s\S]*line 499\n$/)
  expect(end.cut).toEqual({ stdout: 4390 - 1000, stderr: 0 })
})

test.each([
  [['no-such-program'], {}, 'no_program'],
  [['/etc'], {}, 'denied'],
  [['true'], { cwd: '/no/where' }, 'no_directory'],
  [['true'], { cwd: '/etc/passwd' }, 'no_directory'],
  [['true', 'x'.repeat(4_000_000)], {}, 'too_long'],
] as [Command['argv'], Partial<Command>, string][])('%j is not started', async (argv, more, why) => {
  expect(await run(argv, more)).toMatchObject({ kind: 'refused', why })
})

test('the call that runs it is noted for as long as it runs', async () => {
  const noted: unknown[] = []
  const commands = {
    watch: (pid: number, about: unknown) => {
      noted.push(about, existsSync(`/proc/${pid}`))
      return () => noted.push('over')
    },
  }
  await runGroup({ argv: ['/bin/true'], deadline_ms: 60_000, max_bytes: 10, tool_call_id: 'tcl_1' }, commands, signal)
  expect(noted).toEqual([{ tool_call_id: 'tcl_1', name: 'true' }, true, 'over'])
  // What only looks is over soon.
  await runGroup({ argv: ['/bin/true'], deadline_ms: 60_000, max_bytes: 10 }, commands, signal)
  expect(noted).toHaveLength(3)
})

test('one that cannot be ended is given up, and nobody claims to know what it did', async ({ skip }) => {
  const group = `/sys/fs/cgroup/freezer/reeve-test-${process.pid}`
  try {
    accessSync('/sys/fs/cgroup/freezer', constants.W_OK)
    mkdirSync(group)
  } catch {
    return skip('There are no control groups to freeze a process in.')
  }
  const abort = new AbortController()
  let pid = 0
  try {
    const script = `echo $$ > ${group}/tasks; echo $$; while :; do :; done`
    const outcome = await run(
      ['/bin/sh', '-c', script],
      {
        onOutput: (text) => {
          pid = Number(text)
          writeFileSync(join(group, 'freezer.state'), 'FROZEN')
          abort.abort()
        },
      },
      abort.signal,
    )
    expect(outcome).toMatchObject({ kind: 'lost', lost: 'unknown' })
    expect(readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('sh\n')
  } finally {
    writeFileSync(join(group, 'freezer.state'), 'THAWED')
    await expect.poll(() => readFileSync(join(group, 'tasks'), 'utf8'), { timeout: 5000 }).toBe('')
    rmdirSync(group)
  }
})

test('how full a file system is, without those that are gone', async () => {
  const found = await readSpace(['/', '/no/where'], 5000, signal)
  const { bsize, blocks, files } = statfsSync('/')
  expect([...found.keys()]).toEqual(['/'])
  expect(found.get('/')).toMatchObject({ size: bsize * blocks, inodes: files })
})
