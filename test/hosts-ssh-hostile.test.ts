import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SshLimits } from '../server/hosts/ssh/target.ts'
import type { Machine, Outcome } from '../server/modules/machines.ts'
import { AFTER, BEFORE } from './stage/hosts/hostile-deeds.ts'
import { startHostileMachines } from './stage/hosts/hostile-machines.ts'
import { startOddServer } from './stage/hosts/odd-server.ts'
import { command, connectionsWith, never } from './stage/hosts/ssh-stage.ts'

/** Short enough that every deed ends in a test; what they are otherwise, the tests of keys and of lost connections show. */
const LIMITS: Partial<SshLimits> = { connect: 1500, answer: 1500, grace: 200, give_up: 800 }
/** Where signing in is not what fails, a busy machine has time for it. */
const SIGNED_IN = { ...LIMITS, connect: 30_000 }
const MOST_MEMORY = 50 * 1024 * 1024

let hostile: Awaited<ReturnType<typeof startHostileMachines>>
beforeAll(async () => {
  hostile = await startHostileMachines()
  // The library is loaded and compiled: that is none of what a machine can cause.
  await using connections = connectionsWith({ ...SIGNED_IN, answer: 30_000 })
  await connections.machineOf(hostile.after['lies about files']).facts(never)
})
afterAll(() => hostile?.[Symbol.dispose]())

/** What memory grew by at most while something went on. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)
  await work()
  clearInterval(timer)
  return most - before
}

describe('a machine that', () => {
  test.each(Object.keys(BEFORE) as (keyof typeof BEFORE)[])(
    '%s is unreachable, in time and in little memory',
    async (deed) => {
      await using connections = connectionsWith(LIMITS)
      const grown = await growth(async () => {
        expect(await connections.check(hostile.before[deed], never)).toMatchObject({
          state: 'unreachable',
          facts: null,
        })
      })
      expect(grown).toBeLessThan(MOST_MEMORY)
    },
  )
})

/** What a command's outcome is where it is not lost, with nobody knowing how it ended. A question is never answered. */
const OUTCOMES: Partial<Record<keyof typeof AFTER, Partial<Outcome> & { kind: Outcome['kind'] }>> = {
  'says that it ended well without having begun': { kind: 'refused', why: 'other' },
  'ends the connection': { kind: 'lost' },
}
const DEEDS = (Object.keys(AFTER) as (keyof typeof AFTER)[]).filter((deed) => deed !== 'lies about files')

describe('once signed in, a machine that', () => {
  test.each(DEEDS)('%s: nothing waits for it, and nothing counts as done', async (deed) => {
    await using connections = connectionsWith(SIGNED_IN)
    const machine: Machine = connections.machineOf(hostile.after[deed])
    const grown = await growth(async () => {
      expect(await machine.run(command(['true'], { deadline_ms: 500 }), never)).toMatchObject(
        OUTCOMES[deed] ?? { kind: 'lost', lost: 'unknown' },
      )
      await expect(machine.addresses(never)).rejects.toHaveProperty('name', 'MachineUnreachable')
      const written = await machine.write('/tmp/x', Buffer.alloc(100), { if_hash: null }, never)
      expect(written.kind).not.toBe('written')
    })
    expect(grown).toBeLessThan(MOST_MEMORY)
  })

  test('lies about files gets nothing but its own lies', async () => {
    await using connections = connectionsWith({ ...SIGNED_IN, answer: 30_000 })
    const machine = connections.machineOf(hostile.after['lies about files'])
    const read = await machine.readFiles(['/etc/passwd', '/etc/hosts'], { max: 1000 }, never)
    expect([...read]).toEqual([
      ['/etc/passwd', 'failed'],
      ['/etc/hosts', 'failed'],
    ])
    expect(await machine.readEach('/proc', { files: ['stat'], max: 100 }, never)).toEqual([])
    expect(await machine.write('/tmp/x', Buffer.from('x'), { if_hash: null }, never)).toMatchObject({
      kind: 'lost',
      lost: 'unknown',
    })
    expect(await machine.facts(never)).toMatchObject({ package_manager: null, account: { uid: -1 }, boot_id: null })
  })

  test('refuses channels is told so', async () => {
    await using server = await startOddServer({
      onConnection: (connection) => connection.on('session', (_accept, reject) => reject()),
    })
    await using connections = connectionsWith(SIGNED_IN)
    const machine = connections.machineOf(server.target())
    expect(await machine.run(command(['true']), never)).toMatchObject({ kind: 'lost', lost: 'not_started' })
    await expect(machine.addresses(never)).rejects.toMatchObject({ state: 'unreachable' })
  })
})
