import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { command, connectionsWith, never, sh } from './stage/hosts/ssh-stage.ts'
import { openSlowWay } from './stage/hosts/slow-way.ts'
import { signInKey, sshdMissing, startSshServer } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const BYTES = Buffer.alloc(4 << 20, 'new text\n')
const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')
const OLD = hashOf('old')

describe.skipIf(sshdMissing !== null)('a connection that is lost', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-lost-'))
    file = join(folder, 'file')
    writeFileSync(file, 'old')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Part of the new bytes has arrived. */
  const half = () =>
    until(() => readdirSync(folder).some((name) => name.startsWith('.') && statSync(join(folder, name)).size > 0), {
      what: 'a part of the file has arrived',
    })
  const cleared = () => until(() => readdirSync(folder).join() === 'file', { what: 'what has arrived is gone' })

  test('in the middle of a file: the file is as it was, and written over a new one', async () => {
    await using server = await startSshServer()
    await using way = await openSlowWay(server.port)
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target({ port: way.port }))
    await machine.facts(never)
    for (const then of ['refuse', 'mend'] as const) {
      way.stallAfter(1 << 20)
      const writing = machine.write(file, BYTES, { if_hash: OLD }, never)
      await half()
      way.cut(then)
      const outcome = await writing
      if (then === 'refuse') expect(outcome).toMatchObject({ kind: 'lost', lost: 'not_started' })
      else expect(outcome).toEqual({ kind: 'written', hash: hashOf(BYTES) })
      await cleared()
      expect(hashOf(readFileSync(file))).toBe(then === 'refuse' ? OLD : hashOf(BYTES))
      way.cut('mend')
    }
  })

  test('in the middle of a file, without a word: it is noticed, and what hung changes nothing later', async () => {
    await using server = await startSshServer()
    await using way = await openSlowWay(server.port)
    await using connections = connectionsWith({ keepalive: 200 })
    const machine = connections.machineOf(server.target({ port: way.port }))
    await machine.facts(never)
    way.stallAfter(1 << 20)
    const writing = machine.write(file, BYTES, { if_hash: OLD }, never)
    await half()
    const hung = server.sessions()
    for (const pid of hung) process.kill(pid, 'SIGSTOP')
    // New connections come through; this one stays silent.
    way.stallAfter(Infinity)
    expect(await writing).toEqual({ kind: 'written', hash: hashOf(BYTES) })
    way.cut('mend')
    for (const pid of hung) process.kill(pid, 'SIGCONT')
    await cleared()
    expect(hashOf(readFileSync(file))).toBe(hashOf(BYTES))
  })

  test('in the middle of a file, by the end of Reeve: the file is as it was', async () => {
    await using server = await startSshServer()
    await using way = await openSlowWay(server.port)
    way.stallAfter(1 << 20)
    const modules = new URL('../server/hosts/ssh/connections.ts', import.meta.url).href
    const program = `
      const { openConnections } = await import(${JSON.stringify(modules)})
      const connections = openConnections({ keys: async () => [process.env.KEY] })
      const machine = connections.machineOf(${JSON.stringify(server.target({ port: way.port }))})
      await machine.write(${JSON.stringify(file)}, Buffer.alloc(${BYTES.length}, 'new text\\n'), { if_hash: '${OLD}' }, new AbortController().signal)`
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
      {
        env: { ...process.env, KEY: signInKey.private_key },
        stdio: 'ignore',
      },
    )
    await half()
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    way.cut('refuse')
    await cleared()
    expect(readFileSync(file, 'utf8')).toBe('old')
  })

  test('while a command runs: nobody knows how it ended, and it is not repeated', async () => {
    await using server = await startSshServer()
    await using way = await openSlowWay(server.port)
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target({ port: way.port }))
    const log = join(folder, 'log')
    let begun = false
    const script = `echo begun >>${log}; echo begun; while [ ! -e ${folder}/go ]; do sleep 0.1; done; echo ended >>${log}`
    const running = machine.run(command(['/bin/sh', '-c', script], { onOutput: () => (begun = true) }), never)
    await until(() => begun, { what: 'it has begun' })
    way.cut('mend')
    const outcome = await running
    expect(outcome).toMatchObject({ kind: 'lost', lost: 'unknown' })
    expect(outcome).toHaveProperty('message', expect.stringContaining('It is not known how it ended.'))
    expect((await sh(machine, 'echo back')).stdout).toBe('back\n')
    writeFileSync(join(folder, 'go'), '')
    await until(() => readFileSync(log, 'utf8').includes('ended'), { what: 'the command ends by itself' })
    expect(readFileSync(log, 'utf8')).toBe('begun\nended\n')
  })

  test('while a command reads its input: it may have done anything, and is not repeated', async () => {
    await using server = await startSshServer()
    await using way = await openSlowWay(server.port)
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target({ port: way.port }))
    await machine.facts(never)
    const log = join(folder, 'log')
    way.stallAfter(1 << 20)
    const argv = ['/bin/sh', '-c', `echo begun >>${log}; cat >/dev/null`] as const
    const running = machine.run(command([...argv], { stdin: BYTES }), never)
    await until(() => existsSync(log), { what: 'it has begun' })
    way.cut('mend')
    expect(await running).toMatchObject({ kind: 'lost', lost: 'unknown' })
    expect(readFileSync(log, 'utf8')).toBe('begun\n')
  })

  test('before a command has begun: it is begun over a new one, once', async () => {
    await using server = await startSshServer()
    await using way = await openSlowWay(server.port)
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target({ port: way.port }))
    await machine.facts(never)
    const log = join(folder, 'log')
    way.stallAfter(0)
    const running = sh(machine, `echo done >>${log}`)
    const asked = machine.addresses(never)
    way.cut('mend')
    const [end, addresses] = await Promise.all([running, asked])
    expect(end).toMatchObject({ exit_code: 0 })
    expect(addresses.size).toBeGreaterThan(0)
    expect(readFileSync(log, 'utf8')).toBe('done\n')
    expect(way.connections).toBe(2)
  })

  test('without a word, as of a machine that hangs: it is noticed, and made anew', async () => {
    await using server = await startSshServer()
    await using connections = connectionsWith({ keepalive: 200, answer: 20_000 })
    const machine = connections.machineOf(server.target())
    let begun = false
    const running = machine.run(
      command(['/bin/sh', '-c', 'echo begun; sleep 60'], { onOutput: () => (begun = true) }),
      never,
    )
    await until(() => begun, { what: 'it has begun' })
    const hung = server.sessions()
    for (const pid of hung) process.kill(pid, 'SIGSTOP')
    const asked = machine.addresses(never)
    expect(await running).toMatchObject({ kind: 'lost', lost: 'unknown' })
    // Over a new connection.
    expect((await asked).size).toBeGreaterThan(0)
    for (const pid of hung) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  })

  test('is made anew after ten minutes without use, which nobody notices', async () => {
    await using server = await startSshServer()
    await using connections = connectionsWith({ idle: 100 })
    const machine = connections.machineOf(server.target())
    expect((await sh(machine, 'sleep 0.5; echo one')).stdout).toBe('one\n')
    await until(() => /Disconnected from|Received disconnect|Connection closed/.test(server.log()), {
      what: 'it is closed',
    })
    expect((await sh(machine, 'echo two')).stdout).toBe('two\n')
    expect(server.log().match(/Accepted publickey/g)).toHaveLength(2)
  })
})

describe.skipIf(sshdMissing !== null)('a machine that allows few channels', () => {
  test('gets no more than that, and all that was asked is done', async () => {
    await using server = await startSshServer({ config: 'MaxSessions 2' })
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target())
    const ends = await Promise.all(Array.from({ length: 12 }, (_, at) => sh(machine, `sleep 0.05; echo ${at}`)))
    expect(ends.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 12 }, (_, at) => `${at}\n`))
  })

  test('and that allows many gets eight', async () => {
    await using server = await startSshServer({ config: 'MaxSessions 100' })
    await using connections = connectionsWith()
    const machine = connections.machineOf(server.target())
    const folder = mkdtempSync(join(tmpdir(), 'reeve-many-'))
    const script = 'touch $$; ls | wc -l; while [ ! -e go ]; do sleep 0.05; done; rm $$'
    let begun = 0
    const running = Array.from({ length: 12 }, () => sh(machine, script, { cwd: folder, onOutput: () => begun++ }))
    await until(() => begun === 8, { what: 'eight have begun' })
    writeFileSync(join(folder, 'go'), '')
    const counts = (await Promise.all(running)).map(({ stdout }) => Number(stdout))
    // With `go` there are nine names at most.
    expect(Math.max(...counts)).toBeLessThanOrEqual(9)
    rmSync(folder, { recursive: true })
  })
})
