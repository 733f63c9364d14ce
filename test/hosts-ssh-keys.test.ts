import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openConnections } from '../server/hosts/ssh/connections.ts'
import { fingerprintOf, readHostKey } from '../server/hosts/ssh/host-key.ts'
import { makeKeyPair } from '../server/hosts/ssh/key-pair.ts'
import { command, connectionsWith, never } from './stage/hosts/ssh-stage.ts'
import { begins, startOddServer } from './stage/hosts/odd-server.ts'
import { signInKey, sshdMissing, startSshServer } from './stage/servers/ssh-server.ts'

const ECHO = { onExec: begins }

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

  test('is whole also where it begins with a zero', () => {
    const lengths = Array.from({ length: 2000 }, () => makeKeyPair('reeve').public_key.split(' ')[1]!.length)
    expect(new Set(lengths)).toEqual(new Set([68]))
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
