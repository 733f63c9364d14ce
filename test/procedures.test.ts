import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { lastAnswer, noticesOf, partsOf, say } from './stage/chat-stage.ts'
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
import { fickleModule } from './stage/modules/fickle-module.ts'
import { ended } from './stage/routines/routine-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const WORD = { name: 'word', title: 'Word', test: { any: true as const } }
const ECHO = step('system.run_command', { host: ON_MACHINE, command: 'echo', args: [{ $param: 'word' }] })

describe.each(databases)('procedures on $name', (database) => {
  let stage: ProceduresStage
  beforeAll(async () => {
    stage = await openProceduresStage(database, [fickleModule().module])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const allow = (procedure_id: string) => [{ subject: `procedure:${procedure_id}`, effect: 'allow' as const }]

  test('from a finished run to a run of somebody without a shell', async () => {
    const { conversation_id: made_in } = await say(stage.author, '/system.host')
    const { run_id } = await lastAnswer(stage.author, made_in)
    const made = await stage.author.call(contract.procedures.fromRun, { params: { run_id: run_id! } })
    const [draft] = made.versions
    expect(draft).toMatchObject({ state: 'draft', version: 1 })
    expect(draft!.steps).toMatchObject([{ module: 'system', tool: 'host', arguments: { host: ON_MACHINE } }])
    expect(draft!.params).toMatchObject([{ name: 'machine', test: { hosts: ['local'] } }])
    expect(made.problems).toEqual([])
    const { procedure } = await stage.approve(await stage.submit(made))
    expect(procedure).toMatchObject({ current_version: 1, newest: { version: 1, state: 'reviewed' } })

    const { client } = await stage.shift('first', allow(procedure.procedure_id))
    const { answer, conversation_id } = await runIt(client, procedure.procedure_id, { machine: 'local' })
    expect(answer.status).toBe('complete')
    expect(partsOf(answer, 'tool_call')).toMatchObject([{ tool_call: { tool: 'host', status: 'done' } }])
    const { items } = await client.call(contract.procedures.runs, {
      params: { procedure_id: procedure.procedure_id },
      query: {},
    })
    expect(items).toMatchObject([
      { version: 1, status: 'done', steps_done: 1, own: { conversation_id, values: { machine: 'local' } } },
    ])
    const { title } = await client.call(contract.chat.conversation, { params: { conversation_id }, query: {} })
    expect(title).toBe(procedure.name)
  })

  test('; rm stays one argument, and a word that begins with “-” or breaks the line is none', async () => {
    const { procedure } = await stage.reviewed(draftOf('Echo a word', [ECHO], [MACHINE, WORD]))
    const { procedure_id } = procedure
    const { client } = await stage.shift('echo', allow(procedure_id))
    const word = '; rm -rf "$HOME" $(id) `id` | tee &'
    const { answer } = await runIt(client, procedure_id, { machine: 'local', word })
    const [call] = partsOf(answer, 'tool_call')
    expect(call!.tool_call).toMatchObject({ status: 'done', arguments: { args: [word] } })
    expect(call!.tool_call.result_preview).toContain(`stdout:\n${word}`)
    for (const bad of ['-rf', 'a\nb', '', 7, ['a'], { $param: 'machine' }, 'a\u202eb'])
      await expect(runIt(client, procedure_id, { machine: 'local', word: bad })).rejects.toMatchObject({
        code: 'bad_values',
      })
    await expect(runIt(client, procedure_id, { machine: 'local' })).rejects.toMatchObject({ code: 'bad_values' })
    await expect(runIt(client, procedure_id, { machine: 'nowhere', word: 'a' })).rejects.toMatchObject({
      code: 'bad_values',
    })
    await expect(runIt(client, procedure_id, { machine: 'local', word: 'a', more: 1 })).rejects.toMatchObject({
      code: 'bad_values',
    })
  })

  test('values that a later step does not take begin nothing', async () => {
    const steps = [
      step('system.host', { host: ON_MACHINE }),
      step('system.logs', { host: ON_MACHINE, unit: { $param: 'word' } }),
    ]
    const { procedure } = await stage.reviewed(draftOf('What a service said', steps, [MACHINE, WORD]))
    const { client } = await stage.shift('logs', allow(procedure.procedure_id))
    await expect(runIt(client, procedure.procedure_id, { machine: 'local', word: 'a; rm' })).rejects.toMatchObject({
      code: 'bad_values',
      problem: {
        errors: [
          {
            path: 'values.word',
            message: expect.stringMatching(/^Step 2 does not take this: "unit" must match/) as string,
          },
        ],
      },
    })
    const { items } = await client.call(contract.chat.listConversations, { query: {} })
    expect(items).toEqual([])
  })

  test('a parameter is never a program, a script, or a word behind what runs others', async () => {
    const refused = async (given: Record<string, unknown>) => {
      const draft = draftOf(
        `Refused ${JSON.stringify(given)}`.slice(0, 80),
        [step('system.run_command', { host: ON_MACHINE, ...given })],
        [MACHINE, WORD],
      )
      const made = await stage.write(draft)
      await expect(stage.submit(made)).rejects.toMatchObject({ code: 'bad_procedure' })
      return made.problems.map(({ path }) => path)
    }
    expect(await refused({ command: { $param: 'word' } })).toEqual(['steps.0'])
    expect(await refused({ command: 'sh', args: ['-c', { $param: 'word' }] })).toEqual(['steps.0'])
    expect(await refused({ command: 'find', args: [{ $param: 'word' }] })).toEqual(['steps.0'])
    expect(await refused({ command: 'cat', stdin: { $param: 'word' } })).toEqual(['steps.0'])
    expect(await refused({ command: 'cat', args: { $param: 'word' } })).toEqual(['steps.0'])
    await expect(
      stage.write(
        draftOf('Spliced', [step('system.run_command', { command: 'x', args: [{ $param: 'word', more: 1 }] })], [WORD]),
      ),
    ).rejects.toMatchObject({ code: 'bad_procedure' })
  })

  test('a step that does not succeed stops the run, and says so', async () => {
    const steps = ['true', 'false', 'true'].map((command) => step('system.run_command', { host: ON_MACHINE, command }))
    const { procedure } = await stage.reviewed(draftOf('Stops', steps))
    const { client } = await stage.shift('stops', allow(procedure.procedure_id))
    const { answer, run_id } = await runIt(client, procedure.procedure_id, { machine: 'local' })
    expect(partsOf(answer, 'tool_call').map(({ tool_call }) => tool_call.status)).toEqual(['done', 'failed'])
    expect(noticesOf(answer)).toEqual(['procedure_stopped'])
    const run = await client.call(contract.chat.run, { params: { run_id } })
    expect(run).toMatchObject({ status: 'failed', error_code: 'procedure_stopped' })
  })

  test('a step whose effect is not found afterwards stops the run, too', async () => {
    const steps = ['ok', 'wrong', 'ok'].map((verify) => step('fickle.change', { preview: 'ok', verify }))
    const { procedure } = await stage.reviewed(draftOf('Does not take', steps, []))
    const { client } = await stage.shift('takes', allow(procedure.procedure_id))
    const { answer } = await runIt(client, procedure.procedure_id, {})
    const outcomes = partsOf(answer, 'tool_call').map(({ tool_call }) => tool_call.verified?.outcome)
    expect(outcomes).toEqual(['verified', 'did_not_take'])
    expect(partsOf(answer, 'notice').map(({ notice }) => [notice.code, notice.detail])).toEqual([
      ['procedure_stopped', 'Step 2 of 3 did not take, so nothing after it was run.'],
    ])
  })

  test('its author does not review it, nor whoever may not do its steps, and only what was seen is reviewed', async () => {
    const made = await stage.submit(await stage.write(draftOf('Two people', [ECHO], [MACHINE, WORD])))
    const { procedure_id } = made.procedure
    const [{ version, content_hash }] = made.versions as [(typeof made.versions)[number]]
    const review = contract.procedures.review
    const body = { version, content_hash, decision: 'approve' as const }
    const params = { procedure_id }
    await expect(stage.author.call(review, { params, body })).rejects.toMatchObject({ code: 'own_procedure' })
    const rules = [{ subject: 'procedures.review', effect: 'allow' as const }]
    const { client } = await stage.shift('reviewer', rules)
    await expect(client.call(review, { params, body })).rejects.toMatchObject({ code: 'reviewer_denied' })
    const other = { ...body, content_hash: content_hash.replace(/^./, (c) => (c === '0' ? '1' : '0')) }
    await expect(stage.reviewer.call(review, { params, body: other })).rejects.toMatchObject({
      code: 'procedure_changed',
    })
    // Nobody changes it meanwhile.
    const draft = { seen: content_hash, draft: draftOf('Two people', [ECHO, ECHO], [MACHINE, WORD]) }
    await expect(stage.author.call(contract.procedures.saveDraft, { params, body: draft })).rejects.toMatchObject({
      code: 'procedure_changed',
    })
    // An administrator who wrote it is its author, too.
    const own = await stage.reviewer.call(contract.procedures.create, {
      body: draftOf('Mine', [ECHO], [MACHINE, WORD]),
    })
    const mine = { version: 1, content_hash: own.versions[0]!.content_hash }
    const ownParams = { procedure_id: own.procedure.procedure_id }
    await stage.reviewer.call(contract.procedures.submit, { params: ownParams, body: mine })
    await expect(
      stage.reviewer.call(review, { params: ownParams, body: { ...mine, decision: 'approve' } }),
    ).rejects.toMatchObject({ code: 'own_procedure' })
    // Two reviews at once: one of them holds.
    const both = await Promise.allSettled([
      stage.reviewer.call(review, { params, body }),
      stage.reviewer.call(review, { params, body: { ...body, decision: 'reject' } }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('nobody runs it whose role says nothing of it, and nothing of a version that was withdrawn', async () => {
    const { procedure } = await stage.reviewed(draftOf('Withdrawn', [ECHO], [MACHINE, WORD]))
    const { procedure_id } = procedure
    const values = { machine: 'local', word: 'a' }
    const { client: stranger } = await stage.shift('stranger')
    await expect(runIt(stranger, procedure_id, values)).rejects.toMatchObject({ code: 'not_found' })
    await expect(runIt(stage.author, procedure_id, values)).rejects.toMatchObject({ code: 'forbidden' })
    const { client } = await stage.shift('withdrawn', allow(procedure_id))
    const { conversation_id, answer } = await runIt(client, procedure_id, values)
    // Answering again runs the same version again.
    await client.call(contract.chat.retry, {
      body: { conversation_id, message_id: answer.message_id },
      headers: { prefer: 'respond-async' },
    })
    const again = await restingAnswer(client, conversation_id)
    expect(again.message_id).not.toBe(answer.message_id)
    expect(partsOf(again, 'tool_call')).toMatchObject([{ tool_call: { status: 'done', arguments: { args: ['a'] } } }])
    await stage.author.call(contract.procedures.withdraw, {
      params: { procedure_id },
      body: { version: 1, note: 'Old' },
    })
    await expect(runIt(client, procedure_id, values)).rejects.toMatchObject({ code: 'not_found' })
    await expect(
      client.call(contract.chat.retry, { body: { conversation_id, message_id: answer.message_id } }),
    ).rejects.toMatchObject({ code: 'procedure_not_reviewed' })
  })

  test('a routine goes on with its version, and takes a newer one with the values that this asks for', async () => {
    const first = await stage.reviewed(draftOf('Look each night', [step('system.memory', { host: ON_MACHINE })]))
    const { procedure_id } = first.procedure
    const { client } = await stage.shift('nights', allow(procedure_id))
    const work = { kind: 'procedure' as const, procedure_id, version: 1, values: { machine: 'local' } }
    const { routine } = await client.call(contract.routines.create, {
      body: { name: 'Nightly', work, scope: [`procedure:${procedure_id}`, 'tool:system.*'] },
    })
    const params = { routine_id: routine.routine_id }
    const steps = [step('system.memory', { host: ON_MACHINE }), ECHO]
    await stage.reviewedAgain(first, draftOf('Look each night', steps, [MACHINE, WORD]))
    expect((await client.call(contract.routines.read, { params })).routine.work).toEqual(work)
    const newer = { ...work, version: 2 }
    await expect(client.call(contract.routines.update, { params, body: { work: newer } })).rejects.toMatchObject({
      code: 'bad_routine',
    })
    const full = { ...newer, values: { machine: 'local', word: 'night' } }
    const { routine: changed } = await client.call(contract.routines.update, { params, body: { work: full } })
    expect(changed).toMatchObject({ work: full, title: 'Look each night', revision: routine.revision + 1 })
    await client.call(contract.routines.run, { params })
    const { run } = await ended(stage, client, params.routine_id)
    const answer = await lastAnswer(client, run!.conversation_id)
    expect(partsOf(answer, 'tool_call')).toMatchObject([
      { tool_call: { tool: 'memory', status: 'done' } },
      { tool_call: { tool: 'run_command', status: 'done', arguments: { args: ['night'] } } },
    ])
  })

  test('with a user goes what nobody has reviewed; what was reviewed stays, without an author', async () => {
    const { client, user_id } = await stage.member('leaver')
    const draft = await client.call(contract.procedures.create, {
      body: draftOf('Never finished', [ECHO], [MACHINE, WORD]),
    })
    const made = await client.call(contract.procedures.create, { body: draftOf('Finished', [ECHO], [MACHINE, WORD]) })
    const params = { procedure_id: made.procedure.procedure_id }
    const seen = { version: 1, content_hash: made.versions[0]!.content_hash }
    await client.call(contract.procedures.submit, { params, body: seen })
    await stage.approve(made)
    await client.call(contract.procedures.newDraft, { params })
    await stage.reviewer.call(contract.accounts.deleteUser, { params: { user_id } })
    const after = await stage.reviewer.call(contract.procedures.read, { params })
    expect(after.versions).toMatchObject([{ version: 1, state: 'reviewed', author: null }])
    expect(after.procedure).toMatchObject({ owner: null, current_version: 1, may: { edit: true } })
    const gone = await stage.app.db.read
      .selectFrom('procedure')
      .select('procedure_id')
      .where('procedure_id', '=', draft.procedure.procedure_id)
      .execute()
    expect(gone).toEqual([])
  })

  test('export and import are one file; the examples are drafts whose machines are parameters', async () => {
    const { procedure } = await stage.reviewed(draftOf('Exported', [ECHO], [MACHINE, WORD]))
    const params = { procedure_id: procedure.procedure_id }
    const file = await stage.author.call(contract.procedures.exportFile, { params, query: { version: 1 } })
    const { versions, procedure: copy } = await stage.author.call(contract.procedures.importFile, { body: file })
    expect(copy.name).toBe('Exported (2)')
    expect(versions[0]).toMatchObject({ state: 'draft', steps: [{ arguments: ECHO.arguments }] })
    const { items } = await stage.author.call(contract.procedures.examples)
    expect(items.map(({ example }) => example)).toEqual(['disk-full', 'service-does-not-start', 'certificate-expires'])
    for (const { example } of items) {
      const made = await stage.author.call(contract.procedures.addExample, { body: { example } })
      expect(made.problems).toEqual([])
      for (const { module, arguments: given } of made.versions[0]!.steps)
        if (module === 'system') expect(given).toMatchObject({ host: ON_MACHINE })
      await stage.approve(await stage.submit(made))
    }
  })
})
