import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSystem, rowsOf as rows } from './stage/modules/system-module.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'reeve-system-'))
let system: Awaited<ReturnType<typeof openSystem>>
let call: typeof system.call
beforeAll(async () => {
  system = await openSystem()
  call = system.call
})
afterAll(async () => {
  await system[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Waits for a condition on the machine, never for a time. */
async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBe(true)
}
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
function sleeper() {
  const child = spawn('sleep', ['1234.5'], { stdio: 'ignore' })
  if (child.pid === undefined) throw new Error('sleep did not start')
  return { child, pid: child.pid }
}

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('log files', () => {
  const name = `reeve-test-${process.pid}.log`
  const link = `reeve-test-${process.pid}-link`
  const directoryLink = `reeve-test-${process.pid}-dir`
  beforeAll(() => {
    writeFileSync(
      `/var/log/${name}`,
      Array.from({ length: 3000 }, (_, i) => `line ${i} ${i % 100 === 0 ? 'Alarm' : ''}`).join('\n'),
    )
    symlinkSync('/etc/passwd', `/var/log/${link}`)
    symlinkSync('/etc', `/var/log/${directoryLink}`)
  })
  afterAll(() => {
    for (const each of [name, link, directoryLink]) rmSync(`/var/log/${each}`)
  })
  test('the last lines, and only those that contain a text', async () => {
    const last = rows(await call('logs', { file: name, lines: 2 }), `/var/log/${name}`)
    expect(last.map((row) => row['line'])).toEqual(['line 2998 ', 'line 2999 '])
    const found = rows(
      await call('logs', { file: `/var/log/${name}`, lines: 2, contains: 'alarm' }),
      `/var/log/${name}`,
    )
    expect(found.map((row) => row['line'])).toEqual(['line 2800 Alarm', 'line 2900 Alarm'])
  })
  test.each([['../../etc/passwd'], ['/etc/passwd'], [link], [`${directoryLink}/passwd`], ['.'], ['nothing-here.log']])(
    'nothing outside /var/log: %s',
    async (file) => {
      const result = await call('logs', { file })
      expect(result.status).toBe('failed')
      expect(result.text).not.toContain('root:')
      expect(result.text).toMatch(/Only files below|symbolic link|not a plain file|no such file/)
    },
  )
})

describe('run_command', () => {
  test('arguments reach the program as they are', async () => {
    const args = ['$HOME;*', '`id`', 'a  b', '']
    const result = await call('run_command', { command: 'printf', args: ['[%s]', ...args] })
    expect(result).toMatchObject({ status: 'done' })
    expect(result.text).toContain('[$HOME;*][`id`][a  b][]')
    expect(result.text).toContain('Exit code 0')
  })
  test.each([
    ['printf %s/%s/%s/%s one "two  words" \'it is "3"\' a\'b c\'d', 'one/two  words/it is "3"/ab cd'],
    ['  printf   done  ', 'done'],
  ])('a whole command line is split at its spaces: %s', async (command, output) => {
    const result = await call('run_command', { command })
    expect(result.text).toContain(`stdout:\n${output}\n`)
  })
  test.each([['echo *'], ['echo "open'], ['echo a; echo b'], ['echo $HOME']])(
    'but not what a shell would have to read: %s',
    async (command) => {
      expect((await call('run_command', { command })).text).toContain('set shell=true')
    },
  )
  test('nor where there are arguments, be it none', async () => {
    expect((await call('run_command', { command: 'echo a', args: [] })).text).toContain('no program "echo a"')
  })
  test('a program whose name has spaces runs by it', async () => {
    const program = path.join(folder, 'two words')
    writeFileSync(program, '#!/bin/sh\necho itself', { mode: 0o755 })
    expect((await call('run_command', { command: program })).text).toContain('itself')
  })
  test('a shell only where it is asked for', async () => {
    expect((await call('run_command', { command: 'echo $((6*7)) | cat', shell: true })).text).toContain('42')
    expect((await call('run_command', { command: 'echo 1 | cat' })).text).toMatch(/There is no program.*shell=true/)
    expect((await call('run_command', { command: 'echo', args: ['x'], shell: true })).text).toContain(
      'leave out "args"',
    )
  })
  test('exit codes, signals, input, directory', async () => {
    expect(await call('run_command', { command: 'exit 7', shell: true })).toMatchObject({
      status: 'failed',
      text: expect.stringContaining('Exit code 7'),
    })
    expect((await call('run_command', { command: 'kill -9 $$', shell: true })).text).toContain('Ended by SIGKILL')
    expect((await call('run_command', { command: 'cat', stdin: 'héllo' })).text).toContain('héllo')
    expect((await call('run_command', { command: 'pwd', cwd: folder })).text).toContain(folder)
    expect((await call('run_command', { command: 'pwd', cwd: '/no/where' })).text).toBe(
      'There is no directory /no/where.',
    )
  })
  test('no secret of the service is in its environment', async () => {
    process.env['REEVE_SECRET_KEY'] = 'never-shown-1'
    process.env['SOME_API_KEY'] = 'never-shown-2'
    const { text } = await call('run_command', { command: 'env' })
    expect(text).toContain('PATH=')
    expect(text).not.toContain('never-shown')
  })
  test('output beyond the limit is cut in the middle, and the end is there', async () => {
    const { text, status } = await call('run_command', {
      command: 'head -c 30000000 /dev/zero | tr "\\0" x; echo; echo the end',
      shell: true,
    })
    expect(status).toBe('done')
    expect(text).toContain('the end')
    expect(text).toMatch(/left out/)
    expect(text.length).toBeLessThan(48_000)
  })
  test('the deadline ends grandchildren too, also those that ignore SIGTERM', async () => {
    const file = path.join(folder, 'grandchild')
    const script = `sh -c 'trap "" TERM; echo $$ > ${file}; while :; do sleep 0.05; done' & wait`
    const result = await call('run_command', { command: script, shell: true, deadline_s: 1 })
    expect(result).toMatchObject({ status: 'failed', text: expect.stringContaining('deadline of 1 s') })
    const pid = Number(readFileSync(file, 'utf8'))
    expect(pid).toBeGreaterThan(1)
    await until(() => !isAlive(pid))
  })
  test('cancelling ends it at once, and what it said until then is told', async () => {
    const abort = new AbortController()
    let from = 0
    const result = await call(
      'run_command',
      { command: 'echo begun; sleep 1000', shell: true },
      abort.signal,
      (text) => {
        expect(text).toBe('begun')
        from = performance.now()
        abort.abort()
      },
    )
    expect(performance.now() - from).toBeLessThan(8000)
    expect(result).toMatchObject({ status: 'cancelled', text: expect.stringContaining('begun') })
  })
  test('something left in the background does not hold the result', async () => {
    const result = await call('run_command', { command: 'sleep 1000 & echo $!', shell: true })
    expect(result).toMatchObject({ status: 'done', text: expect.stringContaining('still runs in the background') })
    process.kill(Number(/stdout:\n(\d+)/.exec(result.text)?.[1]), 'SIGKILL')
  })
  test('the card says what runs', () => {
    const tool = system.host.find('system', 'run_command')
    expect(tool?.summarize({ command: 'rm', args: ['-rf', '/tmp/a b'], cwd: '/tmp' })).toBe(
      'Runs rm -rf "/tmp/a b" in /tmp, for at most 60 s',
    )
    expect(tool?.summarize({ command: 'a\nb\u202e', shell: true })).toBe(
      'Runs "a\\nb\\u{202e}" as a shell script, for at most 60 s',
    )
  })
})

describe.runIf(process.platform === 'linux')('signal_process', () => {
  test('the card names the signal also where it is left out', () => {
    expect(system.host.find('system', 'signal_process')?.summarize({ pid: 7 })).toBe('Sends SIGTERM to process 7')
  })
  test('a process is signalled and gone', async () => {
    const { child, pid } = sleeper()
    const ended = once(child, 'exit')
    const [seen] = rows(await call('processes', { filter: 'sleep 1234.5' }), 'Processes').filter(
      (row) => row['pid'] === pid,
    )
    const result = await call('signal_process', { pid, signal: 'TERM', started: seen?.['started'] })
    expect(result).toMatchObject({ status: 'done', text: expect.stringContaining('It has ended.') })
    expect(await ended).toEqual([null, 'SIGTERM'])
  })
  test('a process that got the number later is left alone', async () => {
    const { child, pid } = sleeper()
    const result = await call('signal_process', { pid, signal: 'KILL', started: '2020-01-01T00:00:00Z' })
    expect(result).toMatchObject({ status: 'failed', text: expect.stringContaining('another one now') })
    expect(isAlive(pid)).toBe(true)
    child.kill('SIGKILL')
  })
  test.each([[1], [process.pid], [process.ppid], [2 ** 22]])('process %i is refused', async (pid) => {
    expect(await call('signal_process', { pid, signal: 'TERM' })).toMatchObject({
      status: 'failed',
      text: expect.stringMatching(/not signalled from here|There is no process/),
    })
  })
  test('0 and negative numbers, which mean groups, do not fit', async () => {
    expect((await call('signal_process', { pid: 0 })).text).toContain('"pid" must be >= 1')
    expect((await call('signal_process', { pid: -1 })).text).toContain('"pid" must be >= 1')
  })
})
