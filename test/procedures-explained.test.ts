import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Rule } from '../contract/rules.ts'
import {
  draftOf,
  MACHINE,
  ON_MACHINE,
  openProceduresStage,
  type ProceduresStage,
  step,
} from './stage/procedures/procedures-stage.ts'
import { databases } from './stage/servers/postgres.ts'

type Rules = z.input<typeof Rule>[]

const RUN = 'tool:system.run_command'
const WORD = { name: 'word', title: 'Word', test: { any: true as const } }
const ECHO = step('system.run_command', { host: ON_MACHINE, command: 'echo', args: [{ $param: 'word' }] })

describe.each(databases)('who may run a procedure, explained, on $name', (database) => {
  let stage: ProceduresStage
  beforeAll(async () => {
    stage = await openProceduresStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const explain = (role: string, procedure_id: string, values?: Record<string, unknown>) =>
    stage.reviewer.call(contract.accounts.explainPolicy, {
      body: { role, tool: `procedure:${procedure_id}`, ...(values && { arguments: values }) },
    })
  const allow = (procedure_id: string) => ({ subject: `procedure:${procedure_id}`, effect: 'allow' as const })
  const roleWith = async (name: string, rules: Rules) => (await stage.shift(name, rules)).role_id

  test('by which rule, by whose review, and what comes of each step', async () => {
    const { procedure } = await stage.reviewed(
      draftOf('Two steps', [step('system.host', { host: ON_MACHINE }), { ...ECHO, confirm: true }], [MACHINE, WORD]),
    )
    const { procedure_id } = procedure
    const none = await explain(await roleWith('nobody', []), procedure_id)
    expect(none).toMatchObject({ effect: 'deny', subject: `procedure:${procedure_id}`, known_tool: true })
    expect(none.reason).toContain('so it may not run it')

    const role_id = await roleWith('runner', [allow(procedure_id)])
    const runs = await explain(role_id, procedure_id)
    // A step of it is to be confirmed.
    expect(runs.effect).toBe('ask')
    expect(runs.trace.filter(({ matched }) => matched)).toMatchObject([
      { step: 'review', effect: null, note: '“Two steps”, version 1: written by author, reviewed by admin.' },
      { step: 'rule', subject: `procedure:${procedure_id}`, effect: 'allow' },
      { step: 'procedure_step', subject: 'tool:system.host', effect: 'allow' },
      { step: 'procedure_step', subject: RUN, effect: 'ask' },
    ])
    expect(runs.trace.at(-1)!.note).toMatch(
      /^Step 2, system\.run_command: This step of .* is to be confirmed each time\.$/,
    )
  })

  test('a rule that denies a step denies it, with a condition where the values say so', async () => {
    const { procedure } = await stage.reviewed(draftOf('One step', [ECHO], [MACHINE, WORD]))
    const { procedure_id } = procedure
    const never = { subject: RUN, effect: 'deny' as const }
    const denied = await explain(await roleWith('never', [allow(procedure_id), never]), procedure_id)
    expect(denied.effect).toBe('deny')
    expect(denied.reason).toMatch(/^Step 1, system\.run_command: /)

    const bad = { ...never, when: [{ at: '/args', each: { in: ['bad'] } }] }
    const some = await roleWith('some', [allow(procedure_id), bad])
    expect(await explain(some, procedure_id, { machine: 'local', word: 'good' })).toMatchObject({ effect: 'allow' })
    expect(await explain(some, procedure_id, { machine: 'local', word: 'bad' })).toMatchObject({ effect: 'deny' })
    // Without values nothing can be told of them, which counts against it.
    expect(await explain(some, procedure_id)).toMatchObject({ effect: 'deny' })
    const odd = await explain(some, procedure_id, { machine: 'local' })
    expect(odd).toMatchObject({ effect: 'deny', reason: '“One step”: “Word” has no value.' })
  })

  test('of what nobody has reviewed, or what was withdrawn, nothing runs', async () => {
    const made = await stage.write(draftOf('Drafted', [ECHO], [MACHINE, WORD]))
    const { procedure_id } = made.procedure
    const role_id = await roleWith('early', [allow(procedure_id)])
    const why = '“Drafted”: It has no reviewed version, so nothing of it runs.'
    expect(await explain(role_id, procedure_id)).toMatchObject({ effect: 'deny', reason: why })
    await stage.approve(await stage.submit(made))
    expect(await explain(role_id, procedure_id)).toMatchObject({ effect: 'allow' })
    // Changed behind the back of its review.
    const { db } = stage.app
    const of = db.write.updateTable('procedure_version').where('procedure_id', '=', procedure_id)
    await of.set({ description: 'other' }).execute()
    const other = '“Drafted”: This version is not what was reviewed.'
    expect(await explain(role_id, procedure_id)).toMatchObject({ effect: 'deny', reason: other })
    await of.set({ description: '' }).execute()
    await stage.reviewer.call(contract.procedures.withdraw, {
      params: { procedure_id },
      body: { version: 1, note: '' },
    })
    expect(await explain(role_id, procedure_id)).toMatchObject({ effect: 'deny', reason: why })
    await expect(explain(role_id, 'pcd_none')).rejects.toMatchObject({ code: 'not_found' })
  })
})
