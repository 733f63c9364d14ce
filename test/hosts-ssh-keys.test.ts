import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openConnections, type SshConnections } from '../server/hosts/ssh/connections.ts'
import { fingerprintOf, readHostKey } from '../server/hosts/ssh/host-key.ts'
import { makeKeyPair } from '../server/hosts/ssh/key-pair.ts'
import { mayBeMachine } from '../server/hosts/ssh/open-socket.ts'
import type { HostTarget } from '../server/hosts/ssh/target.ts'
import { command, connectionsWith, never, sh } from './stage/hosts/ssh-stage.ts'
import { startOddServer, startRawServer, type OddServer } from './stage/hosts/odd-server.ts'
import { signInKey, sshdMissing, startSshServer } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const ECHO = { onExec: greet }

/** Of many machines that stay silent, so many are waited for at once: others come when those have ended. */
async function inRounds(
  server: OddServer,
  connections: SshConnections,
  most: number,
  jump?: HostTarget,
): Promise<void> {
  const before = server.connections
  const targets = Array.from({ length: most * 2 }, (_, at) => server.target({ host_id: `silent-${at}`, jump }))
  const checks = Promise.all(targets.map((target) => connections.check(target, never)))
  for (const round of [1, 2]) {
    await until(() => server.connections >= before + most * round, { what: `round ${round} has come` })
    // Whoever did not wait would have come before this one.
    await using other = await startOddServer(ECHO)
    await using others = connectionsWith()
    await others.check(other.target(), never)
    expect(server.connections).toBe(before + most * round)
    server.hangUp()
  }
  await checks
}

/** A program that says that it has begun and ends. */
function greet(
  channel: { write(text: string): unknown; exit(code: number): unknown; end(): unknown },
  marker: Promise<string>,
) {
  void marker.then((word) => {
    channel.write(`${word} 4711\n`)
    channel.exit(0)
    channel.end()
  })
}

describe('the host key', () => {
  test('of another machine: nobody signs in, until it is the pinned one again', async () => {
    await using server = await startOddServer(ECHO)
    await using connections = connectionsWith()
    const other = makeKeyPair('other').public_key.split(' ')[1]!
    const target = server.target({ host_key: other })
    const check = await connections.check(target, never)
    expect(check).toMatchObject({
      state: 'key_changed',
      facts: null,
      latency_ms: null,
      offered_key: server.target().host_key,
    })
    expect(check.message).toContain('odd-1')
    const connected = server.connections
    const machine = connections.machineOf(target)
    await expect(machine.facts(never)).rejects.toMatchObject({ state: 'key_changed' })
    expect(await machine.run(command(['true']), never)).toMatchObject({ kind: 'lost', lost: 'not_started' })
    expect(server.connections).toBe(connected)
    expect(server.attempts).toBe(0)
    // An administrator has compared the fingerprints, and pinned the other one.
    expect(await connections.machineOf(server.target()).run(command(['true']), never)).toMatchObject({
      kind: 'refused',
    })
    expect(server.attempts).toBeGreaterThan(0)
  })

  test('that is not pinned: nothing is even connected', async () => {
    await using server = await startOddServer()
    await using connections = connectionsWith()
    const target = server.target({ host_key: null })
    expect(await connections.check(target, never)).toMatchObject({ state: 'key_unknown', offered_key: null })
    await expect(connections.machineOf(target).addresses(never)).rejects.toMatchObject({ state: 'key_unknown' })
    expect(server.connections).toBe(0)
  })

  test.skipIf(sshdMissing !== null)('is one of several: each may be pinned, without an alarm', async () => {
    await using server = await startSshServer()
    await using connections = connectionsWith()
    for (const host_key of Object.values(server.hostKeys)) {
      expect(await connections.check(server.target({ host_key }), never)).toMatchObject({ state: 'ok' })
      connections.forget(server.target().host_id)
    }
    await using reduced = await startSshServer({ keys: ['ed25519'] })
    const gone = await connections.check(reduced.target({ host_key: server.hostKeys.ecdsa }), never)
    expect(gone).toMatchObject({ state: 'key_changed', offered_key: null })
    expect(reduced.log()).not.toMatch(/Accepted|Failed/)
  })

  test.skipIf(sshdMissing !== null)('is scanned without signing in, as ssh-keygen shows it', async () => {
    await using server = await startSshServer()
    await using connections = connectionsWith()
    const keys = await connections.scan('127.0.0.1', server.port)
    expect(keys.map(({ type, key }) => [type, key])).toEqual([
      ['ssh-ed25519', server.hostKeys.ed25519],
      ['ecdsa-sha2-nistp256', server.hostKeys.ecdsa],
      ['ssh-rsa', server.hostKeys.rsa],
    ])
    for (const { type, key, fingerprint } of keys) {
      const { stdout } = spawnSync('ssh-keygen', ['-lf', '-'], { input: `${type} ${key}\n`, encoding: 'utf8' })
      expect(stdout).toContain(` ${fingerprint} `)
    }
    expect(server.log()).not.toMatch(/Accepted|Failed|invalid user|preauth.*user/i)
    await using silent = await startOddServer({ admits: () => false })
    expect(await connections.scan('127.0.0.1', silent.port)).toHaveLength(1)
    expect(silent.attempts).toBe(0)
    await expect(connections.scan('127.0.0.1', 1)).rejects.toMatchObject({ state: 'unreachable' })
  })

  test('is read as people paste it, and never half', () => {
    const { public_key } = makeKeyPair('x')
    const [type, key] = public_key.split(' ') as [string, string]
    const bytes = Buffer.from(key, 'base64')
    for (const text of [key, public_key, `web-1,192.0.2.7 ${type} ${key}`, `  ${key}\n`])
      expect(readHostKey(text)).toEqual({ type: 'ssh-ed25519', bytes })
    const dsa = Buffer.concat([Buffer.from([0, 0, 0, 7]), Buffer.from('ssh-dss'), Buffer.alloc(60)]).toString('base64')
    for (const text of ['', 'hello', key.slice(0, -8), bytes.subarray(0, -1).toString('base64'), dsa, 'A'.repeat(80)])
      expect(readHostKey(text)).toBeNull()
    expect(fingerprintOf(bytes)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  })

  test('with algorithms that are not safe any more: no connection', async () => {
    await using connections = connectionsWith()
    const old = [
      { kex: ['diffie-hellman-group14-sha1' as const] },
      { cipher: ['aes256-cbc' as const] },
      { cipher: ['aes256-ctr' as const], hmac: ['hmac-sha1' as const] },
    ]
    for (const algorithms of old) {
      await using server = await startOddServer({ config: { algorithms } })
      const check = await connections.check(server.target(), never)
      expect(check).toMatchObject({
        state: 'unreachable',
        message: 'odd-1 offers only algorithms that are not safe any more.',
      })
      expect(server.attempts).toBe(0)
    }
  })
})

describe("Reeve's own key", () => {
  test.skipIf(sshdMissing !== null)('is an Ed25519 key as ssh-keygen makes them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'reeve-key-'))
    for (let at = 0; at < 20; at++) {
      const pair = makeKeyPair('reeve@admin.example.org')
      expect(pair.public_key).toMatch(/^ssh-ed25519 AAAA[A-Za-z0-9+/]+=* reeve@admin\.example\.org$/)
      const file = join(folder, String(at))
      writeFileSync(file, pair.private_key, { mode: 0o600 })
      const { stdout } = spawnSync('ssh-keygen', ['-yf', file], { encoding: 'utf8' })
      expect(stdout.trim()).toBe(pair.public_key)
    }
    rmSync(folder, { recursive: true })
    expect(makeKeyPair('two\nlines command="x"').public_key.split(' ')).toHaveLength(3)
  })

  test('that is refused is not shown again, until somebody asks', async () => {
    let admits = false
    await using server = await startOddServer({ ...ECHO, admits: () => admits })
    await using connections = connectionsWith()
    expect(await connections.check(server.target(), never)).toMatchObject({ state: 'sign_in_refused' })
    expect(server.attempts).toBe(1)
    const machine = connections.machineOf(server.target())
    for (let at = 0; at < 3; at++)
      await expect(machine.facts(never)).rejects.toMatchObject({ state: 'sign_in_refused' })
    expect(server.attempts).toBe(1)
    await connections.check(server.target(), never)
    expect(server.attempts).toBe(2)
    admits = true
    connections.forget(server.target().host_id)
    await connections.machineOf(server.target()).run(command(['true']), never)
    expect(server.attempts).toBeGreaterThan(2)
  })

  test.skipIf(sshdMissing !== null)('may be one of two while it changes, or missing', async () => {
    await using server = await startSshServer()
    let keys = [makeKeyPair('new').private_key, signInKey.private_key]
    await using connections = openConnections({ keys: () => Promise.resolve(keys) })
    expect(await connections.check(server.target(), never)).toMatchObject({ state: 'ok' })
    connections.forget(server.target().host_id)
    keys = []
    expect(await connections.check(server.target(), never)).toMatchObject({ state: 'sign_in_refused' })
  })

  test.skipIf(sshdMissing !== null)(
    'of an account that may run nothing: that is told, and what the machine says',
    async () => {
      await using server = await startSshServer({ config: 'ForceCommand echo "This account is closed."; exit 1' })
      await using connections = connectionsWith()
      const check = await connections.check(server.target(), never)
      expect(check.state).toBe('sign_in_refused')
      expect(check.message).toMatch(/run nothing there: This account is closed\.$/)
      const outcome = await connections.machineOf(server.target()).run(command(['true']), never)
      expect(outcome).toMatchObject({ kind: 'refused', why: 'other' })
    },
  )
})

describe('a machine that cannot be reached', () => {
  test('is tried again after 1 s to 5 min, and at once by whoever waits', async () => {
    await using server = await startRawServer((socket) => socket.destroy())
    let now = 1000
    await using connections = connectionsWith({}, () => now)
    const sample = connections.machineOf(server.target(), { background: true })
    const attempt = async () => {
      await expect(sample.addresses(never)).rejects.toMatchObject({ state: 'unreachable' })
      return server.connections
    }
    let seen = await attempt()
    for (let pause = 1000; ; pause = Math.min(pause * 2, 300_000)) {
      now += pause - 1
      expect(await attempt()).toBe(seen)
      now += 1
      seen = await attempt()
      if (pause === 300_000) break
    }
    await expect(connections.machineOf(server.target()).addresses(never)).rejects.toMatchObject({
      state: 'unreachable',
    })
    expect(server.connections).toBe(seen + 1)
  })

  test('at an address where no machine may be: refused before anything is sent', async () => {
    for (const address of [
      '169.254.169.254',
      '169.254.1.1',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      'fd00:ec2::254',
      '100.100.100.200',
      '224.0.0.1',
      '255.255.255.255',
    ])
      expect([address, mayBeMachine(address)]).toEqual([address, false])
    for (const address of ['127.0.0.1', '10.0.0.7', '192.168.1.1', '203.0.113.9', 'fd12::1', 'fe80::1%eth0'])
      expect([address, mayBeMachine(address)]).toEqual([address, true])
    const asked: string[] = []
    await using server = await startOddServer(ECHO)
    await using connections = openConnections({
      keys: () => Promise.resolve([signInKey.private_key]),
      lookup: (name) => {
        asked.push(name)
        const bad = { address: '169.254.169.254', family: 4 }
        return Promise.resolve(name === 'mixed.test' ? [bad, { address: '127.0.0.1', family: 4 }] : [bad])
      },
    })
    for (const address of ['metadata.test', '169.254.169.254']) {
      const check = await connections.check(server.target({ address }), never)
      expect(check).toMatchObject({ state: 'unreachable' })
      expect(check.message).toContain('metadata services')
    }
    await expect(connections.scan('metadata.test', server.port)).rejects.toMatchObject({ state: 'unreachable' })
    expect(asked).toEqual(['metadata.test', 'metadata.test'])
    expect(server.connections).toBe(0)
    await connections.check(server.target({ address: 'mixed.test' }), never)
    expect(server.connections).toBe(1)
  })

  test('does not keep others waiting: each has its time, and 16 are tried at once', async () => {
    await using server = await startRawServer((socket) => socket.resume())
    await using hasty = connectionsWith({ connect: 300 })
    expect(await hasty.check(server.target(), never)).toMatchObject({
      state: 'unreachable',
      message: 'odd-1 did not answer within 0.3 s.',
    })
    await using connections = connectionsWith()
    await inRounds(server, connections, 16)
  })
})

describe.skipIf(sshdMissing !== null)('a machine behind another', () => {
  test('is reached through it, with its own key checked, and as many at once as that can bear', async () => {
    await using jump = await startSshServer()
    await using server = await startSshServer()
    await using connections = connectionsWith({ connect: 20_000 })
    const way = jump.target({ host_id: 'jump', name: 'jump' })
    const far = server.target({ jump: way })
    expect((await sh(connections.machineOf(far), 'echo "$SSH_CONNECTION"')).stdout).toContain(` ${server.port}\n`)
    expect(await connections.scan('127.0.0.1', server.port, way)).toHaveLength(3)
    const changed = await connections.check(
      server.target({ host_id: 'x', jump: way, host_key: jump.hostKeys.ed25519 }),
      never,
    )
    expect(changed).toMatchObject({ state: 'key_changed', offered_key: server.hostKeys.ed25519 })
    expect(jump.log().match(/Accepted publickey/g)).toHaveLength(1)
    const forbidden = await connections.check(
      server.target({ host_id: 'y', jump: way, address: '169.254.169.254' }),
      never,
    )
    expect(forbidden.message).toContain('metadata services')

    await using silent = await startRawServer((socket) => socket.resume())
    await inRounds(silent, connections, 4, way)
  })

  test('is lost with it, and what stands in the way is named', async () => {
    const jump = await startSshServer()
    await using server = await startSshServer()
    await using connections = connectionsWith()
    const way = jump.target({ host_id: 'jump', name: 'jump' })
    const machine = connections.machineOf(server.target({ jump: way }))
    let begun = false
    const running = machine.run(
      command(['/bin/sh', '-c', 'echo begun; sleep 20'], { onOutput: () => (begun = true) }),
      never,
    )
    await until(() => begun, { what: 'it has begun' })
    for (const pid of jump.sessions()) process.kill(pid, 'SIGKILL')
    await jump[Symbol.asyncDispose]()
    expect(await running).toMatchObject({ kind: 'lost', lost: 'unknown' })
    const check = await connections.check(server.target({ jump: way }), never)
    expect(check).toMatchObject({ state: 'unreachable' })
    expect(check.message).toMatch(/^web-1 is reached through jump, which fails: jump cannot be reached/)
  })

  test('leads through three others at most, and through none twice', async () => {
    await using server = await startSshServer()
    await using connections = connectionsWith()
    let target = server.target({ host_id: 'hop-0' })
    for (const at of [1, 2, 3]) target = server.target({ host_id: `hop-${at}`, name: `hop-${at}`, jump: target })
    expect(await connections.check(target, never)).toMatchObject({ state: 'ok' })
    const four = server.target({ host_id: 'hop-4', jump: target })
    expect(await connections.check(four, never)).toMatchObject({
      state: 'unreachable',
      message: expect.stringContaining('more than 3'),
    })
    const twice = server.target({
      host_id: 'a',
      jump: server.target({ host_id: 'b', name: 'b', jump: server.target({ host_id: 'a', name: 'a' }) }),
    })
    expect(await connections.check(twice, never)).toMatchObject({
      state: 'unreachable',
      message: expect.stringContaining('twice'),
    })
  })
})
