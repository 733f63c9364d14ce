import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { DraftStep, ProcedureRun } from '../contract/procedure-values.ts'
import { decide, noticesOf, partsOf } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { withMachineTools } from './stage/modules/machine-rules.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { draftOf, restingAnswer, step, writing } from './stage/procedures/procedures-stage.ts'
import { firesOf, readRoutine } from './stage/routines/routine-stage.ts'
import { linesIn } from './stage/run-ledger.ts'
import { createDatabase, databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { accounts, chat, procedures, routines } = contract
/** A lease lasts 20 s, and every 4 s somebody looks for one that is over; a look at routines comes every 15 s. */
const TAKEN_OVER = { timeout: 120_000 }
const ENDED = ['done', 'failed', 'cancelled', 'interrupted']

/** The process that runs it is killed: on PostgreSQL another one takes over, on SQLite its next start does. */
describe.each(databases)('a procedure whose process is killed, on $name', (database) => {
  const opened = new AsyncDisposableStack()
  let home: TestProcess
  let author: TestClient
  let admin: TestClient
  let startDriver: () => Promise<TestProcess>

  const file = (name: string): string => join(home.dataFolder, `written-${name}`)
  const lines = (...names: string[]): number[] => names.map((name) => linesIn(file(name)))
  const shell = (command: string, more: Partial<DraftStep> = {}): DraftStep =>
    step('system.run_command', { host: 'local', command, shell: true }, more)
  const line = (name: string, more?: Partial<DraftStep>): DraftStep => shell(`echo line >> ${file(name)}`, more)
  const held = (name: string): DraftStep =>
    shell(`echo line >> ${file(name)}; while [ -e ${file(name)} ] && [ ! -e ${file('stop')} ]; do sleep 0.05; done`)

  async function made(name: string, steps: DraftStep[]): Promise<{ procedure_id: string; version: number }> {
    const { procedure } = await writing(author, admin).reviewed(draftOf(name, steps, []))
    const { items } = await admin.call(accounts.listRoles)
    const { role_id, rules } = items.find((role) => role.name === 'user')!
    const allow = { subject: `procedure:${procedure.procedure_id}`, effect: 'allow' as const }
    await admin.call(accounts.updateRole, {
      params: { role_id },
      body: { rules: withMachineTools([...rules, allow]) },
    })
    return { procedure_id: procedure.procedure_id, version: procedure.current_version! }
  }
  async function runOf(procedure_id: string): Promise<ProcedureRun | undefined> {
    return (await author.call(procedures.runs, { params: { procedure_id }, query: {} })).items[0]
  }
  async function endedRun(procedure_id: string): Promise<ProcedureRun> {
    return until(
      async () => {
        const run = await runOf(procedure_id)
        return run && ENDED.includes(run.status) ? run : undefined
      },
      { ...TAKEN_OVER, what: 'its run is over' },
    )
  }
  async function kill(driver: TestProcess): Promise<void> {
    await driver.kill()
    if (driver === home) await home.restart()
  }

  beforeAll(async () => {
    const env = { REEVE_SECRET_KEY: 'c4'.repeat(32) }
    const url = database.name === 'postgres' ? await createDatabase() : ''
    const start = async () =>
      opened.use(await startProcess({ database: { name: database.name, url: () => Promise.resolve(url) }, env }))
    home = await start()
    opened.defer(() => writeFileSync(file('stop'), ''))
    startDriver = database.name === 'postgres' ? start : () => Promise.resolve(home)
    admin = await home.as('admin')
    author = await home.as('author')
  })
  afterAll(() => opened.disposeAsync())

  test('within a step: that one is unknown, nothing runs again, and the steps after it do not begin', async () => {
    const { procedure_id } = await made('Held', [line('first'), held('second'), line('third')])
    const driver = await startDriver()
    const client = await driver.signIn('author')
    const { conversation_id, run_id } = await client.call(procedures.run, {
      params: { procedure_id },
      body: { values: {} },
    })
    await until(() => linesIn(file('second')), { what: 'the second step runs' })
    expect(await runOf(procedure_id)).toMatchObject({ status: 'acting', steps_done: 1, unknown_step: null })
    await kill(driver)
    expect(await endedRun(procedure_id)).toMatchObject({ status: 'interrupted', steps_done: 1, unknown_step: 2 })
    const answer = await restingAnswer(author, conversation_id)
    expect(partsOf(answer, 'tool_call').map(({ tool_call }) => tool_call.status)).toEqual(['done', 'unknown'])
    expect(noticesOf(answer)).toContain('outcome_unknown')
    expect(await author.call(chat.run, { params: { run_id } })).toMatchObject({ status: 'interrupted' })
    expect(lines('first', 'second', 'third')).toEqual([1, 1, 0])
  }, 180_000)

  test('of a routine: it counts as a failure of it, once, and says which step', async () => {
    const { procedure_id, version } = await made('Nightly', [line('night-1'), held('night-2'), line('night-3')])
    const { routine } = await author.call(routines.create, {
      body: {
        name: 'Nightly',
        work: { kind: 'procedure', procedure_id, version, values: {} },
        scope: [`procedure:${procedure_id}`, 'tool:system.*'],
        schedule: null,
      },
    })
    const { routine_id } = routine
    const driver = await startDriver()
    const client = await driver.signIn('author')
    await client.call(routines.run, { params: { routine_id } })
    await until(() => linesIn(file('night-2')), { what: 'the second step runs' })
    await kill(driver)
    expect(await endedRun(procedure_id)).toMatchObject({ status: 'interrupted', steps_done: 1, unknown_step: 2 })
    await until(async () => (await readRoutine(author, routine_id)).failures > 0, {
      ...TAKEN_OVER,
      what: 'somebody has counted how it ended',
    })
    expect(await readRoutine(author, routine_id)).toMatchObject({ failures: 1, paused_by: null })
    expect(await firesOf(author, routine_id)).toMatchObject([{ outcome: 'started', run: { status: 'interrupted' } }])
    expect(lines('night-1', 'night-2', 'night-3')).toEqual([1, 1, 0])
  }, 300_000)

  test('while a card waits: whoever is there goes on with it, and every step runs once', async () => {
    const { procedure_id } = await made('Asks', [line('one'), line('two', { confirm: true }), line('three')])
    const driver = await startDriver()
    const client = await driver.signIn('author')
    const { run_id } = await client.call(procedures.run, { params: { procedure_id }, body: { values: {} } })
    const card = await until(
      async () =>
        (await author.call(chat.listApprovals, { query: { status: 'pending' } })).items.find(
          (each) => each.run_id === run_id,
        ),
      { what: 'its card is up' },
    )
    await kill(driver)
    expect(await runOf(procedure_id)).toMatchObject({ status: 'waiting_approval', steps_done: 1, unknown_step: null })
    expect(lines('one', 'two', 'three')).toEqual([1, 0, 0])
    await decide(author, card.approval_id, 'approve')
    expect(await endedRun(procedure_id)).toMatchObject({ status: 'done', steps_done: 3, unknown_step: null })
    expect(lines('one', 'two', 'three')).toEqual([1, 1, 1])
  }, 180_000)
})
