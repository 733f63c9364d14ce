import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openLink, type Link } from './cluster/link.ts'
import { type BareDatabase, openBareDatabase } from './stage/databases/bare-database.ts'
import { begin, command, lastAnswer, partsOf, say, textOf } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { withMachineTools } from './stage/modules/machine-rules.ts'
import { PASSWORD } from './stage/people.ts'
import { canStandApart, startProcess, type TestProcess } from './stage/process.ts'
import { linesIn, readRun } from './stage/run-ledger.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import {
  gate,
  startScriptedModel,
  type Gate,
  type ScriptedModel,
  type ScriptedRequest,
  type ScriptedStep,
} from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

/** What is stated, in milliseconds: of a lease and of the look for those that are over; of a stop; of any answer. */
const TAKEN_OVER = 25_000
const STOPPED = 6000
const ANSWERED = 6000

const apart = canStandApart()
const skipped = apart ? '' : ' (skipped: no namespace can be made here)'

/**
 * Three processes on one database: the clock of `ahead` is a minute fast, and that of `behind` five minutes slow, in a PID
 * namespace of its own where that is possible. All have the same host name.
 */
describe.runIf(databases.some(({ name }) => name === 'postgres'))('three processes on one database', () => {
  const opened = new AsyncDisposableStack()
  const gates = new Map<string, Gate>()
  const asked = new Map<string, number>()
  let url: string
  let model: ScriptedModel
  let look: BareDatabase
  let right: TestProcess
  let behind: TestProcess
  let toAhead: Link
  let toBehind: Link
  let admin: TestClient
  let role_id: string
  /** One person, at each of them. */
  let onRight: TestClient
  let onAhead: TestClient
  let onBehind: TestClient
  const held: { run_id: string; conversation_id: string }[] = []

  const file = (name: string): string => join(right.dataFolder, name.replaceAll(' ', '-'))
  const gateOf = (cue: string): Gate => {
    const known = gates.get(cue) ?? gate()
    gates.set(cue, known)
    return known
  }
  /** What an answer does is in its cue: `speak x` waits after its first words, `think x` before them, `work x` runs a command, `call x` calls x. */
  function answer(request: ScriptedRequest): ScriptedStep[] {
    if (request.messages.at(-1)?.role === 'tool') return [{ text: 'Over.' }]
    const cue = textOf(request.messages.findLast(({ role }) => role === 'user')?.content)
    const count = (asked.get(cue) ?? 0) + 1
    asked.set(cue, count)
    switch (cue.split(' ')[0]) {
      case 'speak':
        return [{ text: 'So far. ' }, { wait: gateOf(cue) }, { text: 'And the rest.' }]
      case 'think':
        return count > 1 ? [{ text: 'Here now.' }] : [{ wait: gateOf(cue) }, { text: 'Too late.' }]
      case 'work':
        return [{ calls: [command(work(cue))] }]
      case 'call':
        return [{ calls: [{ name: cue.split(' ')[1]!, arguments: {} }] }]
      default:
        return [{ text: 'Fine.' }]
    }
  }
  const work = (cue: string): string =>
    `echo line >> ${file(cue)}; while [ ! -e ${file(`go ${cue}`)} ]; do sleep 0.05; done`

  async function reached(client: TestClient, cue: string): Promise<{ run_id: string; conversation_id: string }> {
    const ids = await begin(client, cue)
    if (cue.startsWith('work')) await until(() => linesIn(file(cue)), { what: `${cue} is under way` })
    else await gateOf(cue).reached
    if (cue.startsWith('speak'))
      await until(async () => (await readRun(look.db, ids.run_id)).parts.length > 0, { what: `${cue} is stored` })
    return ids
  }
  const letGo = (cue: string): void =>
    cue.startsWith('work') ? writeFileSync(file(`go ${cue}`), '') : gateOf(cue).open()

  async function person(at: TestProcess): Promise<TestClient> {
    return at.signIn('ann')
  }
  async function ownersOf(runs: readonly { run_id: string }[]) {
    const rows = await look.db
      .selectFrom('run')
      .select(['run_id', 'lease_owner', 'epoch'])
      .where(
        'run_id',
        'in',
        runs.map(({ run_id }) => run_id),
      )
      .orderBy('run_id')
      .execute()
    return rows
  }
  /** How often each process has said since then that it is alive: at least twice, by the time of the database. */
  async function beatTwice(): Promise<void> {
    const started = await look.db.selectFrom('process').selectAll().execute()
    const since = Math.max(...started.map(({ heartbeat_at }) => Number(heartbeat_at)))
    await until(
      async () =>
        (await look.db.selectFrom('process').select('heartbeat_at').execute()).every(
          ({ heartbeat_at }) => Number(heartbeat_at) > since + 7000,
        ),
      { what: 'all have looked twice' },
    )
  }

  beforeAll(async () => {
    url = await createDatabase()
    const { hostname, port } = new URL(url)
    model = opened.use(await startScriptedModel(answer))
    const links = await Promise.all([0, 1].map(() => openLink({ host: hostname, port: Number(port) })))
    for (const link of links) opened.use(link)
    ;[toAhead, toBehind] = links as [Link, Link]
    const env = { REEVE_SECRET_KEY: 'e5'.repeat(32) }
    const by = (link: Link | null) => {
      const to = new URL(url)
      if (link !== null) to.host = `127.0.0.1:${link.port}`
      return { name: 'postgres' as const, url: () => Promise.resolve(to.href) }
    }
    right = opened.use(await startProcess({ database: by(null), model, env }))
    look = opened.use(await openBareDatabase(url, right.dataFolder))
    admin = await right.as('admin')
    const rules = withMachineTools([{ subject: 'tool:system.run_command', effect: 'allow' }])
    const { role } = await admin.call(contract.accounts.createRole, { body: { name: 'workers', rules } })
    role_id = role.role_id
    await admin.call(contract.accounts.createUser, { body: { username: 'ann', password: PASSWORD, role_id } })
    onRight = await person(right)
    // The others start while it drives these.
    held.push(await reached(onRight, 'speak right'), await reached(onRight, 'work right'))
    const others = await Promise.all([
      startProcess({ database: by(toAhead), model, env, clock: 60_000 }),
      startProcess({ database: by(toBehind), model, env, clock: -300_000, apart }),
    ])
    for (const other of others) opened.use(other)
    behind = others[1]
    ;[onAhead, onBehind] = (await Promise.all(others.map(person))) as [TestClient, TestClient]
    for (const cue of ['speak ahead', 'work ahead']) held.push(await reached(onAhead, cue))
    for (const cue of ['speak behind', 'work behind']) held.push(await reached(onBehind, cue))
  })
  afterAll(() => opened.disposeAsync())

  test('a process that hears nothing obeys what is changed elsewhere from the next call on', async () => {
    const { modules, runsAdmin, accounts } = contract
    const outcome = async (tool = 'system.cpu'): Promise<string | undefined> => {
      const { conversation_id } = await say(onAhead, `call ${tool}`)
      return partsOf(await lastAnswer(onAhead, conversation_id), 'tool_call')[0]?.tool_call.status
    }
    const setRules = (effect: 'allow' | 'deny') =>
      admin.call(accounts.updateRole, {
        params: { role_id },
        body: {
          rules: withMachineTools([
            { subject: 'tool:system.run_command', effect: 'allow' },
            { subject: 'tool:system.cpu', effect },
          ]),
        },
      })
    const flip = (off: boolean) =>
      admin.call(runsAdmin.saveSwitch, { body: { subject: 'tool:system.cpu', off, reason: 'Enough' } })
    const params = { module_name: 'files' }
    expect([await outcome(), await outcome('files.list')]).toEqual(['done', 'done'])
    toAhead.set('deaf')
    try {
      await flip(true)
      expect(await outcome()).not.toBe('done')
      await flip(false)
      expect(await outcome()).toBe('done')
      await setRules('deny')
      expect(await outcome()).not.toBe('done')
      await setRules('allow')
      expect(await outcome()).toBe('done')
      await admin.call(modules.disable, { params })
      expect(await outcome('files.list')).not.toBe('done')
      await admin.call(modules.enable, { params, body: {} })
      expect(await outcome('files.list')).toBe('done')
      const { conversation_id } = await reached(onAhead, 'speak stopped')
      await within(STOPPED, 'it is stopped', onRight.call(contract.chat.cancel, { body: { conversation_id } }))
      expect(await lastAnswer(onRight, conversation_id)).toMatchObject({ status: 'cancelled' })
    } finally {
      toAhead.set('open')
    }
  })

  test.skipIf(!apart)(
    `one with the same host name in another PID namespace takes no run from anybody${skipped}`,
    async () => {
      expect(/^NSpid:.*\t(\d+)$/m.exec(readFileSync(`/proc/${behind.pid}/status`, 'latin1'))?.[1]).toBe('1')
      const known = await look.db.selectFrom('process').selectAll().execute()
      expect(new Set(known.map(({ host }) => host)).size).toBe(1)
      expect((await ownersOf(held)).map(({ epoch }) => epoch)).toEqual(held.map(() => 1))
    },
  )

  test('clocks that are wrong take no run from anybody, and lose none', async () => {
    const before = await ownersOf(held)
    expect(new Set(before.map(({ lease_owner }) => lease_owner)).size).toBe(3)
    expect(before.map(({ epoch }) => epoch)).toEqual(before.map(() => 1))
    await beatTwice()
    expect(await ownersOf(held)).toEqual(before)
    for (const name of ['right', 'ahead', 'behind']) for (const what of ['speak', 'work']) letGo(`${what} ${name}`)
    for (const [i, { conversation_id }] of held.entries()) {
      const message = await until(async () => {
        const last = await lastAnswer(onRight, conversation_id)
        return last.status === 'streaming' ? null : last
      })
      expect(message.status).toBe('complete')
      expect(partsOf(message, 'text').at(-1)?.text).toBe(i % 2 === 0 ? 'So far. And the rest.' : 'Over.')
    }
    for (const name of ['right', 'ahead', 'behind']) {
      expect(asked.get(`speak ${name}`)).toBe(1)
      expect(linesIn(file(`work ${name}`))).toBe(1)
    }
  })
  test(
    'one that stands still, and one that does so with the lock of a run, are replaced, and find their runs gone',
    { timeout: 90_000 },
    async () => {
      const idle = [await reached(onRight, 'think idle'), await reached(onRight, 'work idle')]
      const locked = [await reached(onBehind, 'think locked'), await reached(onBehind, 'speak locked')]
      const all = [...idle, ...locked]
      const frozen = [right, behind]
      const before = new Map((await ownersOf(all)).map(({ run_id, lease_owner }) => [run_id, lease_owner]))
      const caught = toBehind.holdCommit(new RegExp(`run:${locked[1]!.run_id}`))
      letGo('speak locked')
      expect(await caught).toBe(true)
      for (const { pid } of frozen) process.kill(pid, 'SIGSTOP')
      try {
        await until(
          async () => {
            await within(ANSWERED, 'the other answers', say(onAhead, 'Hello'))
            return (await ownersOf(all)).every(({ run_id, lease_owner }) => lease_owner !== before.get(run_id))
          },
          { timeout: TAKEN_OVER, what: 'all runs are taken over' },
        )
        const statuses = await until(
          async () => {
            const found = await Promise.all(all.map(({ conversation_id }) => lastAnswer(onAhead, conversation_id)))
            return found.some(({ status }) => status === 'streaming') ? null : found.map(({ status }) => status)
          },
          { what: 'all are over' },
        )
        expect(statuses).toEqual(['complete', 'interrupted', 'complete', 'interrupted'])
      } finally {
        for (const { pid } of frozen) process.kill(pid, 'SIGCONT')
      }
      const ledgers = () => Promise.all(all.map(({ run_id }) => readRun(look.db, run_id)))
      const after = await ledgers()
      toBehind.letGo()
      for (const cue of ['think idle', 'work idle', 'think locked']) letGo(cue)
      // What they were waiting for has come, and both are at work again.
      await until(() => model.open === 0, { what: 'the engine has answered' })
      await beatTwice()
      for (const client of [onRight, onBehind]) expect(await say(client, 'And now?')).toMatchObject({ answer: 'Fine.' })
      expect(await ledgers()).toEqual(after)
      expect(linesIn(file('work idle'))).toBe(1)
      expect([asked.get('think idle'), asked.get('think locked'), asked.get('speak locked')]).toEqual([2, 2, 1])
    },
  )
})

async function within<T>(limit: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${limit} ms in vain until ${what}.`)), limit)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
