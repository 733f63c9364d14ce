import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Message } from '../contract/chat.ts'
import { contract } from '../contract/index.ts'
import type { Effect } from '../contract/route.ts'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'
import { decide, type PolicyRole, SEVERITY } from '../server/accounts/policy/permissions.ts'
import { contentHash, contentOf } from '../server/procedures/content.ts'
import { decide as decideCard, noticesOf, partsOf, say } from './stage/chat-stage.ts'
import {
  draftOf,
  MACHINE,
  ON_MACHINE,
  openProceduresStage,
  type ProceduresStage,
  restingAnswer,
  runIt,
  step,
} from './stage/procedures/procedures-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const WORD = { name: 'word', title: 'Word', test: { any: true as const } }
const ECHO = { host: ON_MACHINE, command: 'echo', args: [{ $param: 'word' }] }
const VALUES = { machine: 'local', word: 'a' }

const statuses = (answer: Message): string[] => partsOf(answer, 'tool_call').map(({ tool_call }) => tool_call.status)
const cardOf = (answer: Message) => partsOf(answer, 'tool_call')[0]!.approval!
const card = (answer: Message): string => cardOf(answer).approval_id

describe.each(databases)('what a review covers, on $name', (database) => {
  let stage: ProceduresStage
  let made = 0
  beforeAll(async () => {
    stage = await openProceduresStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** A reviewed procedure with one step, and somebody who has these rules besides the one for it. */
  async function open(
    { confirm = false, effect = 'allow' }: { confirm?: boolean; effect?: Effect } = {},
    rules: { subject: string; effect: Effect; every_time?: true }[] = [],
  ) {
    made += 1
    const draft = draftOf(`Covered ${made}`, [step('system.run_command', ECHO, { confirm })], [MACHINE, WORD])
    const { procedure } = await stage.reviewed(draft)
    const { procedure_id } = procedure
    const all = [{ subject: `procedure:${procedure_id}`, effect }, ...rules]
    const { client, role_id } = await stage.shift(`covered${made}`, all)
    return { procedure_id, client, role_id }
  }
  const everybody = async (rules: { subject: string; effect: 'ask' | 'deny' }[]) => {
    const { items } = await stage.reviewer.call(contract.accounts.listRoles)
    const { role_id } = items.find(({ name }) => name === 'everybody')!
    await stage.reviewer.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
  }

  test('the step itself, and nothing that the same person asks for in the chat', async () => {
    const { procedure_id, client } = await open()
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['done'])
    const { answer } = await say(client, '/system.run_command {"command":"echo","args":["a"],"host":"local"}')
    expect(answer).not.toContain('Exit code')
    // In the conversation of the run, too.
    const { conversation_id } = await runIt(client, procedure_id, VALUES)
    const after = await say(client, '/system.run_command {"command":"echo","args":["a"],"host":"local"}', {
      conversation_id,
    })
    expect(after.tool_calls_executed.filter(({ status }) => status === 'done')).toEqual([])
  })

  test('no version that differs from its hash by one byte', async () => {
    const { procedure_id, client } = await open()
    const { db } = stage.app
    const { steps } = await db.read
      .selectFrom('procedure_version')
      .select('steps')
      .where('procedure_id', '=', procedure_id)
      .executeTakeFirstOrThrow()
    const store = (text: string) =>
      db.write.updateTable('procedure_version').set({ steps: text }).where('procedure_id', '=', procedure_id).execute()
    await store(steps.replace('"echo"', '"echo "'))
    await expect(runIt(client, procedure_id, VALUES)).rejects.toMatchObject({ code: 'procedure_not_reviewed' })
    await store(steps)
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['done'])
  })

  test('no call whose arguments were changed by one byte while its card waited', async () => {
    const { procedure_id, client } = await open({ confirm: true })
    const { answer, conversation_id, run_id } = await runIt(client, procedure_id, VALUES)
    expect(statuses(answer)).toEqual(['awaiting_approval'])
    expect(partsOf(answer, 'tool_call')[0]!.approval!.reason).toMatch(
      /^This step of “.+” is to be confirmed each time\.$/,
    )
    const { db } = stage.app
    const row = await db.read.selectFrom('tool_call').selectAll().where('run_id', '=', run_id).executeTakeFirstOrThrow()
    await db.write
      .updateTable('tool_call')
      .set({ arguments: row.arguments.replace('"args":["a"]', '"args":["b"]') })
      .where('run_id', '=', run_id)
      .execute()
    await decideCard(client, card(answer), 'approve')
    const after = await restingAnswer(client, conversation_id)
    expect(statuses(after)).toEqual(['denied'])
    expect(noticesOf(after)).toEqual(['procedure_stopped'])
  })

  test('no run whose values were changed to ones that its parameters do not take', async () => {
    const { procedure_id, client } = await open({ confirm: true })
    const { answer, conversation_id, run_id } = await runIt(client, procedure_id, VALUES)
    const procedure_values = JSON.stringify({ ...VALUES, word: '-e' })
    await stage.app.db.write.updateTable('run').set({ procedure_values }).where('run_id', '=', run_id).execute()
    await decideCard(client, card(answer), 'approve')
    expect(statuses(await restingAnswer(client, conversation_id))).toEqual(['denied'])
  })

  test('no tool with another definition than the reviewed one', async () => {
    const { procedure_id, client, role_id } = await open()
    const { db } = stage.app
    const row = await db.read
      .selectFrom('procedure_version')
      .selectAll()
      .where('procedure_id', '=', procedure_id)
      .executeTakeFirstOrThrow()
    const content = contentOf(row)
    const steps = content.steps.map((one) => ({ ...one, definition_hash: '0'.repeat(64) }))
    await db.write
      .updateTable('procedure_version')
      .set({ steps: JSON.stringify(steps), content_hash: contentHash({ ...content, steps }) })
      .where('procedure_id', '=', procedure_id)
      .execute()
    const { answer } = await runIt(client, procedure_id, VALUES)
    expect(statuses(answer)).toEqual(['denied'])
    // Whoever may use the tool anyway is judged as in the chat.
    const rules = [
      { subject: `procedure:${procedure_id}`, effect: 'allow' as const },
      { subject: 'tool:system.run_command', effect: 'allow' as const },
    ]
    await stage.reviewer.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['done'])
  })

  test('a rule of the role that asks is answered by it; one that denies, or asks every time, is not', async () => {
    const tool = 'tool:system.run_command'
    const asks = await open({}, [{ subject: tool, effect: 'ask' }])
    expect(statuses((await runIt(asks.client, asks.procedure_id, VALUES)).answer)).toEqual(['done'])
    const denied = await open({}, [{ subject: tool, effect: 'deny' }])
    expect(statuses((await runIt(denied.client, denied.procedure_id, VALUES)).answer)).toEqual(['denied'])
    const module = await open({}, [{ subject: 'tool:system.*', effect: 'deny' }])
    expect(statuses((await runIt(module.client, module.procedure_id, VALUES)).answer)).toEqual(['denied'])
    const each = await open({}, [{ subject: tool, effect: 'ask', every_time: true }])
    expect(statuses((await runIt(each.client, each.procedure_id, VALUES)).answer)).toEqual(['awaiting_approval'])
  })

  test('what binds everybody still does, and so do off switches', async () => {
    const { procedure_id, client } = await open()
    await everybody([{ subject: 'tool:system.run_command', effect: 'ask' }])
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['awaiting_approval'])
    await client.call(contract.chat.cancel, { body: {} })
    await everybody([{ subject: 'tool:system.run_command', effect: 'deny' }])
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['denied'])
    await everybody([{ subject: `procedure:${procedure_id}`, effect: 'deny' }])
    await expect(runIt(client, procedure_id, VALUES)).rejects.toMatchObject({ code: 'not_found' })
    await everybody([])
    const subject = 'tool:system.run_command'
    await stage.reviewer.call(contract.runsAdmin.saveSwitch, { body: { subject, off: true } })
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['denied'])
    await stage.reviewer.call(contract.runsAdmin.saveSwitch, { body: { subject, off: false } })
    expect(statuses((await runIt(client, procedure_id, VALUES)).answer)).toEqual(['done'])
  })

  test('a step to be confirmed asks each time whoever runs it, whatever they may do anyway', async () => {
    const { procedure_id, client } = await open({ confirm: true }, [
      { subject: 'tool:system.run_command', effect: 'allow' },
    ])
    for (const decision of ['approve', 'deny'] as const) {
      const { answer, conversation_id } = await runIt(client, procedure_id, VALUES)
      expect(statuses(answer)).toEqual(['awaiting_approval'])
      expect(cardOf(answer).offers ?? []).toEqual([])
      await decideCard(client, card(answer), decision)
      expect(statuses(await restingAnswer(client, conversation_id))).toEqual([
        decision === 'approve' ? 'done' : 'denied',
      ])
    }
    // A role whose rule for the procedure asks decides, too.
    const asked = await open({ effect: 'ask' })
    const { answer, conversation_id } = await runIt(asked.client, asked.procedure_id, VALUES)
    expect(statuses(answer)).toEqual(['awaiting_approval'])
    await decideCard(asked.client, card(answer), 'approve')
    expect(statuses(await restingAnswer(asked.client, conversation_id))).toEqual(['done'])
  })

  test('a version that is withdrawn while its card waits does not run, nor one that the role loses', async () => {
    for (const how of ['withdrawn', 'lost'] as const) {
      const { procedure_id, client, role_id } = await open({ confirm: true })
      const { answer, conversation_id } = await runIt(client, procedure_id, VALUES)
      const params = { procedure_id }
      if (how === 'withdrawn')
        await stage.reviewer.call(contract.procedures.withdraw, { params, body: { version: 1, note: '' } })
      else await stage.reviewer.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: [] } })
      await decideCard(client, card(answer), 'approve')
      expect(statuses(await restingAnswer(client, conversation_id))).toEqual(['denied'])
    }
  })

  test('a token runs only what its scope names: the procedure and the tool', async () => {
    const { procedure_id, client } = await open()
    const as = async (...scope: string[]) => {
      const { token } = await client.call(contract.accounts.createToken, {
        body: { name: 'script', permissions: scope },
      })
      const script = stage.anonymous()
      script.bearer = token
      return script.call(contract.procedures.run, { params: { procedure_id }, body: { values: VALUES } })
    }
    const [run, tool] = [`procedure:${procedure_id}`, 'tool:system.run_command']
    await expect(as('codex.use', tool)).rejects.toMatchObject({ status: expect.any(Number) as number })
    const ended = async ({ conversation_id }: { conversation_id: string }) =>
      statuses(await restingAnswer(client, conversation_id))
    expect(await ended(await as('codex.use', run))).toEqual(['denied'])
    expect(await ended(await as('codex.use', run, tool))).toEqual(['done'])
  })
})

describe('the policy engine about steps of procedures', () => {
  const subjects = fc.constantFrom('tool:a.x', 'tool:a.*', 'procedure:p', 'procedure:q')
  const rules = fc.array(fc.record({ subject: subjects, effect: fc.constantFrom<Effect>('allow', 'ask', 'deny') }))
  const tools: fc.Arbitrary<PolicyTool> = fc.record({
    module: fc.constant('a'),
    name: fc.constant('x'),
    effect: fc.constantFrom('read', 'write', 'destructive', 'unknown'),
    builtin: fc.boolean(),
    reach: fc.constantFrom('own', 'machine'),
    agreed: fc.boolean(),
  })
  const roles = fc
    .record({ rules, common: rules, admin: fc.boolean() })
    .map(({ rules: own, common, admin }): PolicyRole => ({
      role_id: 'rol_1',
      name: 'shift',
      admin,
      rules: own,
      common: common.filter(({ effect }) => effect !== 'allow'),
      audit_reads: 'count',
    }))
  const of = (reviewed: boolean, confirm = false) => ({
    procedure_id: 'p',
    name: 'P',
    content_hash: 'h',
    reviewed,
    confirm,
  })

  test('what was not reviewed is never judged more mildly in a procedure than in the chat', () => {
    fc.assert(
      fc.property(roles, tools, fc.boolean(), (role, tool, confirm) => {
        const question = { kind: 'tool' as const, tool, argumentsLength: 0 }
        const inChat = decide(role, null, question).effect
        const inProcedure = decide(role, null, { ...question, procedure: of(false, confirm) }).effect
        expect(SEVERITY[inProcedure]).toBeGreaterThanOrEqual(SEVERITY[inChat])
      }),
      { numRuns: 2000 },
    )
  })

  test('no review weakens a rule that denies or binds everybody, nor what nobody has agreed to, nor a confirmation', () => {
    fc.assert(
      fc.property(roles, tools, fc.boolean(), (role, tool, confirm) => {
        const question = { kind: 'tool' as const, tool, argumentsLength: 0, procedure: of(true, confirm) }
        const { effect } = decide(role, null, question)
        const about = ['tool:a.x', 'tool:a.*', 'procedure:p']
        const all = [...role.rules, ...(role.common ?? [])].filter(({ subject }) => about.includes(subject))
        const asks = (role.common ?? []).some((rule) => rule.effect === 'ask' && about.includes(rule.subject))
        const denied =
          all.some((rule) => rule.effect === 'deny') || !role.rules.some((rule) => rule.subject === 'procedure:p')
        const asked = asks || confirm || !tool.agreed || tool.effect === 'unknown'
        expect(SEVERITY[effect]).toBeGreaterThanOrEqual(SEVERITY[denied ? 'deny' : asked ? 'ask' : 'allow'])
      }),
      { numRuns: 2000 },
    )
  })
})
