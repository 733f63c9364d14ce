import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localMachine } from '../server/hosts/local/local-machine.ts'
import type { SshConnections } from '../server/hosts/ssh/connections.ts'
import type { Machine } from '../server/modules/machines.ts'
import { command, connectionsWith, endOf, never, sh } from './stage/hosts/ssh-stage.ts'
import { sshdMissing, startSshServer, type SshServer } from './stage/servers/ssh-server.ts'
import { ROOT } from './stage/sources/source-graph.ts'
import { until } from './stage/wait.ts'

const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

test('the library works without its native parts, which are not even fetched', async () => {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8')
  expect(lock.match(/"node_modules\/(?:cpu-features|nan|buildcheck)"/g)).toBeNull()
  const require = createRequire(createRequire(import.meta.url).resolve('ssh2'))
  for (const part of ['cpu-features', './protocol/crypto/build/Release/sshcrypto.node'])
    expect(() => require.resolve(part)).toThrow('Cannot find module')
})

describe.skipIf(sshdMissing !== null)(
  `a machine with sshd${sshdMissing === null ? '' : ` (skipped: ${sshdMissing})`}`,
  () => {
    let server: SshServer
    let connections: SshConnections
    let machine: Machine
    let folder: string
    const local = localMachine({ watch: () => () => undefined })

    beforeAll(async () => {
      server = await startSshServer()
      connections = connectionsWith()
      machine = connections.machineOf(server.target())
      folder = mkdtempSync(join(tmpdir(), 'reeve-hosts-'))
    })
    afterAll(async () => {
      await connections?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    test('says what it is, like the machine itself does', async () => {
      const { clock, reeve, host_name, ...facts } = await machine.facts(never)
      const { clock: own, reeve: _reeve, host_name: _name, ...expected } = await local.facts(never)
      expect(facts).toEqual(expected)
      expect(host_name).not.toBe('')
      expect(reeve).toBeNull()
      expect(Math.abs(clock.offset_ms)).toBeLessThan(30_000)
      expect(clock.time_zone === null || typeof own.time_zone === 'string').toBe(true)
    })

    test('is checked: it answers, so fast, and is that', async () => {
      const check = await connections.check(server.target(), never)
      expect(check).toMatchObject({ state: 'ok', message: '', offered_key: null, facts: await machine.facts(never) })
      expect(check.latency_ms).toBeTypeOf('number')
    })

    test('all callers share one connection', async () => {
      const logins = () => server.log().match(/Accepted publickey/g)?.length
      const before = logins()
      const others = Array.from({ length: 30 }, () => connections.machineOf(server.target()))
      const ends = await Promise.all(others.map((each, at) => sh(each, `echo ${at}`)))
      expect(ends.map(({ stdout }) => stdout)).toEqual(others.map((_, at) => `${at}\n`))
      expect(logins()).toBe(before)
    })

    describe('runs a program', () => {
      test('with its arguments as they are, and its input', async () => {
        const argv = [
          'printf',
          '<%s>\n',
          'a  b',
          "it's",
          '$(id)',
          '`id`',
          'x\ny',
          '',
          '*',
          '-n',
          '"\\',
          'ü€😀',
          '!!',
          '~',
        ] as const
        const end = endOf(await machine.run(command([...argv]), never))
        expect(end.stdout).toBe(
          argv
            .slice(2)
            .map((each) => `<${each}>\n`)
            .join(''),
        )
        const input = Buffer.alloc(3_000_000, 'some line\n')
        const counted = endOf(await machine.run(command(['sha256sum'], { stdin: input }), never))
        expect(counted.stdout).toBe(`${hashOf(input)}  -\n`)
      })

      test('whose exit code, signal and errors are told', async () => {
        expect(await sh(machine, 'echo out; echo wrong >&2; exit 7')).toMatchObject({
          exit_code: 7,
          signal: null,
          stdout: 'out\n',
          stderr: 'wrong\n',
          stopped: null,
          background: false,
        })
        expect(await sh(machine, 'kill -s KILL $$')).toMatchObject({ exit_code: null, signal: 'SIGKILL' })
      })

      test('in a directory, with a plain environment, without a terminal', async () => {
        const end = await sh(machine, 'pwd; echo "$TERM $PAGER $LC_ALL"; [ -t 0 ] || echo plain', { cwd: '/usr' })
        expect(end.stdout).toBe('/usr\ndumb cat C\nplain\n')
      })

      test('unless it cannot, which is not what the program says', async () => {
        const run = (argv: [string, ...string[]], cwd?: string) => machine.run(command(argv, { cwd }), never)
        expect(await run(['no-such-program'])).toMatchObject({ kind: 'refused', why: 'no_program' })
        expect(await run(['/no/such'])).toMatchObject({ kind: 'refused', why: 'no_program' })
        expect(await run(['-l', 'true'])).toMatchObject({ kind: 'refused', why: 'no_program' })
        expect(await run(['/etc/passwd'])).toMatchObject({ kind: 'refused', why: 'denied' })
        expect(await run(['/etc'])).toMatchObject({ kind: 'refused', why: 'denied' })
        expect(await run(['true'], '/no/such')).toMatchObject({ kind: 'refused', why: 'no_directory' })
        expect(await run(['true', 'x'.repeat(200_000)])).toMatchObject({ kind: 'refused', why: 'too_long' })
        expect(await run(['true', 'a\0b'])).toMatchObject({ kind: 'refused', why: 'other' })
        expect(await sh(machine, 'exit 127')).toMatchObject({ kind: 'ended', exit_code: 127 })
      })

      test('with long arguments', async () => {
        const long = "it's $long\n".repeat(9000)
        const end = endOf(await machine.run(command(['printf', '%s', long], { max_bytes: 1 << 20 }), never))
        expect(end.stdout).toBe(long)
      })

      test('whose output is followed, and kept at both ends', async () => {
        const parts: string[] = []
        const script = 'echo first; i=0; while [ $i -lt 5000 ]; do echo "line $i"; i=$((i+1)); done; echo last'
        const end = await sh(machine, script, { max_bytes: 1000, onOutput: (text) => parts.push(text) })
        expect(end.stdout).toMatch(/^first\n[^]*bytes left out[^]*last\n$/)
        expect(end.cut.stdout).toBeGreaterThan(10_000)
        expect(parts.join('')).toContain('line 2500\n')
      })

      test('that is ended with all it has started, at its deadline or when somebody cancels', async () => {
        const file = join(folder, 'children')
        const script = `sleep 300 & echo $! >>${file}; trap '' TERM; sleep 301 & echo $! >>${file}; while :; do sleep 302; done`
        const late = await sh(machine, script, { deadline_ms: 1000 })
        expect(late).toMatchObject({ stopped: 'deadline', signal: 'SIGKILL', exit_code: null })
        const cancel = new AbortController()
        const running = machine.run(
          command(['/bin/sh', '-c', `echo begun; ${script}`], { onOutput: () => cancel.abort() }),
          cancel.signal,
        )
        expect(await running).toMatchObject({ kind: 'ended', stopped: 'cancelled' })
        const pids = readFileSync(file, 'utf8').trim().split('\n')
        expect(pids.length).toBeGreaterThanOrEqual(2)
        const alive = (pid: string) => !readStat(pid).includes(') Z ') && readStat(pid).includes('sleep')
        await until(() => !pids.some(alive), { what: 'its children have ended' })
      })

      test('that leaves something behind, which is told', async () => {
        expect(await sh(machine, 'sleep 2 & echo done')).toMatchObject({ stdout: 'done\n', background: true })
        expect(await sh(machine, 'sleep 2 >/dev/null 2>&1 & echo done')).toMatchObject({ background: true })
      })

      test('that is cancelled before it has begun, and never begins', async () => {
        const file = join(folder, 'never')
        const outcome = await machine.run(command(['touch', file]), AbortSignal.abort())
        expect(outcome).toMatchObject({ kind: 'lost', lost: 'not_started' })
        expect(readdirSync(folder)).not.toContain('never')
      })
    })

    describe('is read', () => {
      test('files: the beginning, the end, those of the kernel, and what is wrong with others', async () => {
        writeFileSync(join(folder, 'text'), Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join(''))
        const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
        writeFileSync(join(folder, "odd 'name\nof two lines"), bytes)
        writeFileSync(join(folder, 'empty'), '')
        symlinkSync('nothing', join(folder, 'dangling'))
        const paths = ['text', "odd 'name\nof two lines", 'empty', 'dangling', 'missing', 'text/below', '.'].map(
          (each) => join(folder, each),
        )
        const all = [...paths, '/proc/version', '/dev/null']
        for (const options of [{ max: 5000 }, { max: 20 }, { max: 20, tail: true }, { max: 5000, tail: true }])
          expect(await machine.readFiles(all, options, never)).toEqual(await local.readFiles(all, options, never))
        expect(await machine.readFiles([], { max: 1 }, never)).toEqual(new Map())
      })

      test('only below a directory, when that is asked', async () => {
        mkdirSync(join(folder, 'root/inner'), { recursive: true })
        writeFileSync(join(folder, 'root/inner/file'), 'inside')
        writeFileSync(join(folder, 'secret'), 'outside')
        symlinkSync('../secret', join(folder, 'root/link'))
        symlinkSync('inner', join(folder, 'root/way'))
        symlinkSync('root', join(folder, 'rooted'))
        const paths = [
          'inner/file',
          'inner/../inner/file',
          'link',
          'way/file',
          '../secret',
          'inner/../../secret',
          '/etc/passwd',
          'none',
          'inner',
        ]
        for (const within of [join(folder, 'root'), join(folder, 'rooted')]) {
          const options = { max: 100, within }
          expect(await machine.readFiles(paths, options, never)).toEqual(await local.readFiles(paths, options, never))
        }
        const nowhere = await machine.readFiles(['a', 'b'], { max: 100, within: join(folder, 'none') }, never)
        expect([...nowhere.values()]).toEqual(['missing', 'missing'])
      })

      test('the same files of all processes, and where their links lead', async () => {
        const wanted = { numbers: true, files: ['stat', 'cmdline', 'nothing'], links: 'fd', max: 2000 }
        const read = await machine.readEach('/proc', wanted, never)
        const own = read.find(({ name }) => name === String(process.pid))
        expect(own?.files['stat']).toMatch(new RegExp(`^${process.pid} \\(`))
        expect(own?.files['cmdline']).toBe(readFileSync('/proc/self/cmdline', 'utf8').slice(0, 2000))
        expect(own?.files).not.toHaveProperty('nothing')
        expect(own?.links).toContain('/dev/null')
        expect(own?.links.some((each) => each.startsWith('socket:['))).toBe(true)
        expect(read.every(({ name }) => /^\d+$/.test(name))).toBe(true)
        expect(await machine.readEach('/nothing', wanted, never)).toEqual([])
      })

      test('the same files of directories with any names and contents', async () => {
        const parent = join(folder, 'each')
        for (const [at, name] of ['plain', 'with space', 'line\nbreak', "quote'", '-dash'].entries()) {
          mkdirSync(join(parent, name, 'deep'), { recursive: true })
          writeFileSync(join(parent, name, 'size'), `${at}\0\n`.repeat(at))
          if (at !== 1) writeFileSync(join(parent, name, 'deep/model'), 'REEVE=1\0x')
        }
        const wanted = { files: ['size', 'deep/model'], max: 1000 }
        const byName = (all: readonly { name: string }[]) => [...all].sort((a, b) => (a.name < b.name ? -1 : 1))
        expect(byName(await machine.readEach(parent, wanted, never))).toEqual(
          byName(await local.readEach(parent, wanted, never)),
        )
      })

      test('directories', async () => {
        const parent = join(folder, 'list')
        mkdirSync(join(parent, 'a/b/c'), { recursive: true })
        for (const name of ['file', '.hidden', 'line\nbreak', 'a/b/c/deep', '-dash'])
          writeFileSync(join(parent, name), '')
        symlinkSync('a', join(parent, 'link'))
        const sorted = (entries: unknown) =>
          [...(entries as { name: string }[])].sort((a, b) => (a.name < b.name ? -1 : 1))
        for (const deep of [false, true]) {
          const options = { max: 100, deep }
          expect(sorted(await machine.listDir(parent, options, never))).toEqual(
            sorted(await local.listDir(parent, options, never)),
          )
        }
        expect(await machine.listDir(parent, { max: 2 }, never)).toHaveLength(2)
        for (const path of [join(parent, 'file'), join(parent, 'nothing'), join(parent, 'nothing/below')])
          expect(await machine.listDir(path, { max: 9 }, never)).toBe(await local.listDir(path, { max: 9 }, never))
      })

      test('how full its file systems are, and its addresses', async () => {
        const [here, there] = await Promise.all(
          [local, machine].map((each) => each.space(['/', '/dev', '/nothing'], 20_000, never)),
        )
        expect([...there!.keys()].sort()).toEqual(['/', '/dev'])
        expect(there!.get('/')).toMatchObject({ size: here!.get('/')!.size, inodes: here!.get('/')!.inodes })
        const lo = (await machine.addresses(never)).get('lo')
        expect(lo).toContain('127.0.0.1/8')
      })

      test('until somebody cancels', async () => {
        const cancel = new AbortController()
        const read = machine.listDir('/', { max: 1_000_000, deep: true }, cancel.signal)
        cancel.abort()
        await expect(read).rejects.toHaveProperty('name', 'AbortError')
      })
    })
  },
)

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}
