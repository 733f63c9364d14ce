import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { HELPER_SOCKET } from '../server/hosts/reeve-op/door.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { runCommand } from './stage/command-line.ts'
import { openPreparedMachine, type PreparedMachine, preparedMissing } from './stage/machines/prepared-machine.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { addHost, checkHost, listHosts, pinHost, readHost, setupScript } = contract.hosts
const LIMIT_MS = 120_000

const skipped = preparedMissing === null ? '' : ` (skipped: ${preparedMissing})`
describe.skipIf(preparedMissing !== null).each(databases)(`reeve-op on a machine, on $name${skipped}`, (database) => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let admin: TestClient
  let machine: PreparedMachine
  let params: { host_id: string }
  beforeAll(async () => {
    app = opened.use(await startTestApp({ database }))
    admin = await app.as('admin')
    machine = opened.use(
      await openPreparedMachine(async (port) => {
        const body = { name: 'web-1', address: '127.0.0.1', port, account: 'reeve-reader' }
        const { host } = await admin.call(addHost, { body })
        params = { host_id: host.host_id }
        return (await admin.call(setupScript, { query: params })).script
      }),
    )
    await admin.call(pinHost, { params, body: { host_key: machine.hostKey } })
  }, LIMIT_MS)
  afterAll(() => opened.disposeAsync())

  const look = async () => (await admin.call(checkHost, { params })).host
  /** What the doctor says of a machine: `status: message` by check. */
  const doctor = async (): Promise<{ code: number | null; checks: Record<string, string> }> => {
    const env = { NODE_ENV: 'test', REEVE_DATA_DIR: app.dataFolder, REEVE_DATABASE_URL: app.databaseUrl }
    const result = await runCommand(env, ['doctor', '--hosts', '--json'])
    const { checks } = result.json<{ checks: { name: string; status: string; message: string }[] }>()
    const ours = checks.filter(({ name }) => name.startsWith('web-1'))
    return {
      code: result.code,
      checks: Object.fromEntries(ours.map(({ name, status, message }) => [name, `${status}: ${message}`])),
    }
  }

  test('is told with what it may do, when a person looks', async () => {
    expect((await admin.call(readHost, { params })).helper).toBeNull()
    const found = await look()
    expect(found).toMatchObject({ state: 'ok', problem: null })
    expect(found.helper).toEqual({ state: 'ok', problem: null, allows: [], checked_at: expect.any(String) })
    machine.sh('printf "allow service toy.service\\n allow  journal command # all\\n" >> /etc/reeve-op.conf')
    expect((await look()).helper).toMatchObject({
      state: 'ok',
      allows: ['service toy.service', 'journal command # all'],
    })
    machine.sh('sed -i "/^ *allow /d" /etc/reeve-op.conf')
  })

  test('another version, a list that others write, no way to it: each is told', async () => {
    machine.sh('cp -p /usr/local/libexec/reeve-op /root/kept; echo "# mine" >> /usr/local/libexec/reeve-op')
    expect((await look()).helper).toMatchObject({ state: 'different', problem: null })
    machine.sh('cp -p /root/kept /usr/local/libexec/reeve-op; chmod 666 /etc/reeve-op.conf')
    expect((await look()).helper).toMatchObject({
      state: 'refused',
      problem: expect.stringMatching(/others than root/),
    })
    machine.sh('chmod 644 /etc/reeve-op.conf; mv /etc/sudoers.d/reeve-op /root/rule')
    expect((await look()).helper).toMatchObject({ state: 'missing', problem: expect.stringMatching(/sudo/) })
    machine.sh('mv /root/rule /etc/sudoers.d/reeve-op; mv /var/lib/reeve-ssh/reeve-op/.ssh /root/ssh')
    // The connection that is open already needs no key; a person who looks again after it has ended is told.
    machine.sh('pkill -u reeve-op || :')
    await until(async () => (await look()).helper?.state === 'missing', { what: 'the refused key is told' })
    machine.sh('mv /root/ssh /var/lib/reeve-ssh/reeve-op/.ssh')
    expect((await look()).helper).toMatchObject({ state: 'ok' })
  })

  test('the doctor looks at all of it, and says what is wrong', { timeout: LIMIT_MS }, async () => {
    const well = await doctor()
    expect(well.checks).toEqual({
      'web-1': expect.stringMatching(/^ok: Pinned is SHA256:\S+, and it shows that; it answers in \d+ ms\.$/),
      'web-1 clock': 'ok: It agrees with that of this machine.',
      'web-1 helper files': 'ok: Its files belong to root alone, and are as this version ships them.',
      'web-1 helper': 'ok: It answers as root, and /etc/reeve-op.conf allows nothing.',
      'web-1 helper refuses': expect.stringMatching(/^ok: It refuses writing \/etc\/shadow, /),
    })
    machine.sh(
      'sed -i "s/^never() .*/never() { :; }/" /usr/local/libexec/reeve-op; chmod 775 /usr/local/libexec/reeve-op; echo "allow command" >> /etc/reeve-op.conf; chown nobody /var/lib/reeve-ssh/reeve-op/.ssh/authorized_keys',
    )
    const bad = await doctor()
    expect(bad.code).toBe(1)
    expect(bad.checks['web-1 helper files']).toMatch(
      /^fail: .*not as this version ships it.*mode 775.*authorized_keys does not belong to root/,
    )
    expect(bad.checks['web-1 helper']).toMatch(/^fail: .*(not the program|cannot be asked)/)
    machine.sh(
      'cp -p /root/kept /usr/local/libexec/reeve-op; chown root /var/lib/reeve-ssh/reeve-op/.ssh/authorized_keys',
    )
    expect((await doctor()).checks['web-1 helper']).toMatch(/^warn: .*may do: command/)
    machine.sh('sed -i "/^allow /d" /etc/reeve-op.conf')
  })
})

describe.each(databases)('reeve-op on this machine, on $name', (database) => {
  test.skipIf(existsSync(HELPER_SOCKET))('is missing as long as its socket is', async () => {
    await using app = await startTestApp({ database })
    const admin = await app.as('admin')
    const [own] = (await admin.call(listHosts)).items
    const helper = { state: 'missing', problem: null, allows: [], checked_at: null }
    expect(own).toMatchObject({ host_id: 'local', state: 'ok', helper, checked_at: null })
  })
})
