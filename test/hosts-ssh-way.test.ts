import { describe, expect, test } from 'vitest'
import { openConnections, type SshConnections } from '../server/hosts/ssh/connections.ts'
import { mayBeMachine } from '../server/hosts/ssh/open-socket.ts'
import type { HostTarget } from '../server/hosts/ssh/target.ts'
import { command, connectionsWith, never, sh } from './stage/hosts/ssh-stage.ts'
import { begins, startOddServer, startRawServer, type OddServer } from './stage/hosts/odd-server.ts'
import { signInKey, sshdMissing, startSshServer } from './stage/servers/ssh-server.ts'
import { until } from './stage/wait.ts'

const ECHO = { onExec: begins }

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
    // A server says its name unasked: whoever does not is given up sooner than one that is slow to sign somebody in.
    await using waiting = connectionsWith({ greeting: 200 })
    const mute = { state: 'unreachable', message: 'odd-1 did not answer within 0.2 s.' }
    expect(await waiting.check(server.target(), never)).toMatchObject(mute)
    await expect(waiting.scan('127.0.0.1', server.port)).rejects.toMatchObject({ state: 'unreachable' })
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
