import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ALLOW_COMMANDS,
  command,
  lastAnswer,
  noticesOf,
  openStage,
  partsOf,
  recentEvents,
  say,
  toolResults,
  type Member,
  type Stage,
} from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('tools in a run on $name', (database) => {
  let stage: Stage
  let operator: Member
  beforeAll(async () => {
    stage = await openStage(database)
    operator = await stage.member('operator', [...ALLOW_COMMANDS, { subject: 'tool:system.memory', effect: 'deny' }])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('a read-only tool runs, its table is a part, and its result goes to the engine under the id of the call', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('oak', [
      [{ text: 'Let me see.' }, { calls: [{ name: 'system.host', arguments: {}, id: 'call_oak' }] }],
      [{ text: 'That is it.' }],
    ])
    const result = await say(ann, 'oak')
    expect(result.answer).toBe('Let me see.\n\nThat is it.')
    expect(result.tool_calls_executed).toMatchObject([
      { module: 'system', tool: 'host', effect: 'read', status: 'done', arguments: {} },
    ])
    expect(result.tool_calls_executed[0]?.duration_ms).toBeGreaterThanOrEqual(0)
    expect(result.tool_calls_executed[0]?.result_preview).toContain(hostname())
    const answer = await lastAnswer(ann, result.conversation_id)
    expect(answer.parts.map((part) => part.type)).toEqual([
      'text',
      'tool_call',
      ...partsOf(answer, 'table').map(() => 'table'),
      'text',
    ])
    const [table] = partsOf(answer, 'table')
    expect(table?.tool_call_id).toBe(result.tool_calls_executed[0]?.tool_call_id)
    expect(table?.table.rows.length).toBeGreaterThan(0)
    const sent = requests[1]?.messages.at(-1)
    expect(sent).toMatchObject({ role: 'tool', tool_call_id: 'call_oak' })
    expect(toolResults(requests[1])[0]).toContain(hostname())
    const asked = requests[1]?.messages.at(-2)
    expect(asked).toMatchObject({ role: 'assistant', content: 'Let me see.', tool_calls: [{ id: 'call_oak' }] })
  })

  test('several reads run at once', async () => {
    const ann = await stage.as('ann')
    stage.play('beech', [
      [{ calls: [1, 2, 3].map(() => ({ name: 'system.cpu', arguments: {} })) }],
      [{ text: 'Busy.' }],
    ])
    const { tool_calls_executed, conversation_id } = await say(ann, 'beech')
    expect(tool_calls_executed.map((call) => call.status)).toEqual(['done', 'done', 'done'])
    const { run_id } = await lastAnswer(ann, conversation_id)
    const types = (await recentEvents(ann, run_id ?? ''))
      .map((event) => event.type)
      .filter((type) => type.startsWith('tool.'))
    expect(types).toEqual([
      'tool.started',
      'tool.started',
      'tool.started',
      'tool.finished',
      'tool.finished',
      'tool.finished',
    ])
  })

  test('calls that change something run one after the other, in the order asked for', async () => {
    const file = join(stage.dataFolder, 'order')
    stage.play('cedar', [[{ calls: [1, 2, 3, 4].map((n) => command(`echo ${n} >> ${file}`)) }], [{ text: 'Written.' }]])
    const { tool_calls_executed, conversation_id } = await say(operator.client, 'cedar')
    expect(await readFile(file, 'utf8')).toBe('1\n2\n3\n4\n')
    const { run_id } = await lastAnswer(operator.client, conversation_id)
    const events = await recentEvents(operator.client, run_id ?? '')
    const steps = events.filter(({ type }) => type === 'tool.started' || type === 'tool.finished')
    expect(steps.map((event) => [event.type, event['tool_call_id']])).toEqual(
      tool_calls_executed.flatMap(({ tool_call_id }) => [
        ['tool.started', tool_call_id],
        ['tool.finished', tool_call_id],
      ]),
    )
  })

  test('a tool that fails is a result: the engine is told and the run goes on', async () => {
    const requests = stage.play('maple', [[{ calls: [command('echo broken >&2; exit 3')] }], [{ text: 'It failed.' }]])
    const result = await say(operator.client, 'maple')
    expect(result.answer).toBe('It failed.')
    expect(result.tool_calls_executed).toMatchObject([{ status: 'failed' }])
    expect(toolResults(requests[1])[0]).toMatch(/Exit code 3[\s\S]*broken/)
  })

  test('malformed arguments, an unknown tool and arguments that do not fit: told, not run, and the run goes on', async () => {
    const requests = stage.play('willow', [
      [
        {
          calls: [
            { name: 'system.host', arguments: '{"half": ' },
            { name: 'garden.water', arguments: { plant: 'fern' } },
            { name: 'nodots', arguments: {} },
            { name: 'system.processes', arguments: { limit: 'many' } },
            { name: 'system.host', arguments: {} },
          ],
        },
      ],
      [{ text: 'I see.' }],
    ])
    const result = await say(operator.client, 'willow')
    expect(result.answer).toBe('I see.')
    expect(result.tool_calls_executed.map(({ tool, status }) => [tool, status])).toEqual([['host', 'done']])
    const told = toolResults(requests[1])
    expect(told).toHaveLength(5)
    expect(told[0]).toContain('not a JSON object')
    expect(told[1]).toContain('There is no tool "garden.water"')
    expect(told[2]).toContain('There is no tool "nodots"')
    expect(told[3]).toMatch(/do not fit.*limit/)
    expect(told[4]).toContain(hostname())
    const calls = partsOf(await lastAnswer(operator.client, result.conversation_id), 'tool_call')
    expect(calls.map((part) => part.tool_call.status)).toEqual(['failed', 'failed', 'failed', 'failed', 'done'])
  })

  test('a tool that a rule denies is not offered; called all the same it is refused with the rule and never runs', async () => {
    const requests = stage.play('poplar', [
      [{ calls: [{ name: 'system.memory', arguments: {} }] }],
      [{ text: 'So be it.' }],
    ])
    const result = await say(operator.client, 'poplar')
    const offered = requests[0]?.tools.map((tool) => tool.name) ?? []
    expect(offered).toContain('system__host')
    expect(offered).not.toContain('system__memory')
    expect(toolResults(requests[1])[0]).toContain('tool:system.memory: deny')
    expect(result.tool_calls_executed).toEqual([])
    const answer = await lastAnswer(operator.client, result.conversation_id)
    expect(partsOf(answer, 'tool_call')[0]).toMatchObject({
      tool_call: { status: 'denied', duration_ms: null },
      approval: null,
    })
    const events = await recentEvents(operator.client, answer.run_id ?? '')
    expect(events.map((event) => event.type)).not.toContain('tool.started')
    expect(events.find((event) => event.type === 'tool.finished')).toMatchObject({ status: 'denied', tool: 'memory' })
  })

  test('more calls at once than a step may have: those beyond the limit are refused', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('hazel', [
      [{ calls: Array.from({ length: 34 }, () => ({ name: 'system.host', arguments: {} })) }],
      [{ text: 'Enough.' }],
    ])
    const { tool_calls_executed } = await say(ann, 'hazel')
    expect(tool_calls_executed).toHaveLength(32)
    const told = toolResults(requests[1])
    expect(told.filter((text) => text.includes('at most 32'))).toEqual(told.slice(32))
    expect(told).toHaveLength(34)
  })

  test('an endless loop ends at the limit of steps, with a notice', async () => {
    const ann = await stage.as('ann')
    const requests = stage.play('ivy', () => [{ calls: [{ name: 'system.host', arguments: {} }] }])
    const { conversation_id, tool_calls_executed } = await say(ann, 'ivy')
    expect(requests).toHaveLength(25)
    expect(tool_calls_executed).toHaveLength(25)
    const answer = await lastAnswer(ann, conversation_id)
    expect(answer.status).toBe('complete')
    expect(noticesOf(answer)).toEqual(['step_limit'])
  })
})
