import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { decide, lastAnswer, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('direct mode on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('without an engine a question is answered with what can be run', async () => {
    const ann = await stage.as('ann')
    const result = await say(ann, 'How full is the disk?')
    expect(result).toMatchObject({ ai_mode: 'direct', tool_calls_executed: [] })
    expect(result.answer).toContain('/system.disks')
    expect(await ann.call(contract.chat.listTools)).toMatchObject({ ai_mode: 'direct', model: null })
  })

  test('/module.tool runs exactly that tool, and its table is part of the answer', async () => {
    const ann = await stage.as('ann')
    const result = await say(ann, '/system.host')
    expect(result).toMatchObject({
      ai_mode: 'direct',
      tool_calls_executed: [{ module: 'system', tool: 'host', status: 'done' }],
    })
    const answer = await lastAnswer(ann, result.conversation_id)
    expect(JSON.stringify(partsOf(answer, 'table'))).toContain(hostname())
    expect(partsOf(answer, 'tool_call')).toMatchObject([{ direct: true }])
    const run = await ann.call(contract.chat.run, { params: { run_id: answer.run_id ?? '' } })
    expect(run).toMatchObject({ ai_mode: 'direct', model: null, status: 'done', cost_micros: null })
  })

  test('key=value and JSON are the same call', async () => {
    const ann = await stage.as('ann')
    const [plain, json] = [
      await say(ann, '/system.processes sort=memory limit=2'),
      await say(ann, '/system.processes {"sort": "memory", "limit": 2}'),
    ]
    expect(plain.tool_calls_executed[0]?.arguments).toMatchObject({ sort: 'memory', limit: 2 })
    expect(json.tool_calls_executed[0]?.arguments).toEqual(plain.tool_calls_executed[0]?.arguments)
  })

  test('a tool that changes something asks first; approved it runs once and stands in the audit log', async () => {
    const [ann, admin] = [await stage.as('ann'), await stage.as('admin')]
    const file = join(stage.dataFolder, 'direct')
    const asked = await say(ann, `/system.run_command {"command": "echo done >> ${file}", "shell": true}`)
    expect(asked.tool_calls_executed).toEqual([])
    const [card] = asked.approvals
    expect(card).toMatchObject({ status: 'pending', module: 'system', tool: 'run_command', effect: 'destructive' })
    const { result } = await decide(ann, card!.approval_id, 'approve')
    expect(result).toMatchObject({ ai_mode: 'direct', approvals: [], tool_calls_executed: [{ status: 'done' }] })
    expect(await readFile(file, 'utf8')).toBe('done\n')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'tool.called' } })
    expect(items[0]).toMatchObject({
      actor: 'ann',
      outcome: 'ok',
      details: { tool: 'system.run_command', status: 'done' },
    })
  })

  test('a tool that a rule denies is not listed and does not run', async () => {
    const { client } = await stage.member('kim', [{ subject: 'tool:system.host', effect: 'deny' }])
    const { items } = await client.call(contract.chat.listTools)
    expect(items.map((item) => item.tool)).toContain('memory')
    expect(items.map((item) => item.tool)).not.toContain('host')
    const result = await say(client, '/system.host')
    expect(result.tool_calls_executed).toEqual([])
    expect(result.answer).not.toContain(hostname())
  })
})

describe('direct mode beside an engine', () => {
  test('a command goes past the engine, a question goes to it', async () => {
    await using stage = await openStage(databases[0]!)
    const ann = await stage.as('ann')
    const requests = stage.play('/system', () => [{ text: 'never asked' }])
    expect(await say(ann, '/system.host')).toMatchObject({
      ai_mode: 'direct',
      tool_calls_executed: [{ status: 'done' }],
    })
    expect(requests).toEqual([])
    expect(await say(ann, 'hello')).toMatchObject({ ai_mode: 'model', answer: 'Understood.' })
  })
})
