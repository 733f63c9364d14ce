import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { lastAnswer, partsOf, say, toolResults } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { PASSWORD, type People } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'

const MACHINE = ['system', 'sql']

/** Somebody with the role `user` as it comes, without the rules that other tests give it. */
async function plainUser(app: People): Promise<{ client: TestClient; role_id: string }> {
  const admin = await app.as('admin')
  const { items } = await admin.call(contract.accounts.listRoles)
  const role = items.find(({ name }) => name === 'user')!
  expect(role.rules).toEqual([])
  const body = { username: 'plain', password: PASSWORD, role_id: role.role_id }
  await admin.call(contract.accounts.createUser, { body })
  return { client: await app.signIn('plain'), role_id: role.role_id }
}

describe.each(databases)('the tools of the machine on $name', (database) => {
  test('are not there for somebody whose role has no rule: not in lists, not in direct mode, with the reason', async () => {
    await using app = await startTestApp({ database })
    const { client, role_id } = await plainUser(app)
    const { items } = await client.call(contract.chat.listTools)
    expect(items.filter(({ module }) => MACHINE.includes(module))).toEqual([])
    expect(items.map(({ module }) => module)).toEqual(expect.arrayContaining(['files', 'tables', 'http']))

    for (const command of ['/system.run_command {"command":"id"}', '/system.processes', '/sql.query', '/system.logs']) {
      const result = await say(client, command)
      const [, subject] = /^\/(\S+)/.exec(command)!
      expect(result.answer).toContain(`has no rule for tool:${subject}`)
      expect(result.answer).toContain('An administrator can allow its tools one by one.')
      expect(result).toMatchObject({ approvals: [], tool_calls_executed: [] })
    }
    expect((await say(client, 'what is there?')).answer).not.toContain('/system.')

    const admin = await app.as('admin')
    const explain = (tool: string, role = 'user') =>
      admin.call(contract.accounts.explainPolicy, { body: { role, tool } })
    expect(await explain('system.run_command')).toMatchObject({
      effect: 'deny',
      reason: expect.stringContaining('An administrator can allow its tools one by one.') as string,
    })
    expect(await explain('tables.query')).toMatchObject({ effect: 'allow' })
    expect(await explain('system.host', 'admin')).toMatchObject({ effect: 'allow' })
    expect(await explain('system.run_command', 'admin')).toMatchObject({ effect: 'ask' })

    const rules = [{ subject: 'tool:system.host', effect: 'allow' as const }]
    await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules } })
    const { items: allowed } = await client.call(contract.chat.listTools)
    expect(allowed.filter(({ module }) => module === 'system').map(({ tool }) => tool)).toEqual(['host'])
    expect((await say(client, '/system.host')).tool_calls_executed).toMatchObject([{ status: 'done' }])
  })

  test('are not given to the engine, and a call that it makes all the same is refused with the reason', async () => {
    await using model = await startScriptedModel((_request, index) =>
      index === 0
        ? [
            {
              calls: [
                { name: 'system.run_command', arguments: { command: 'id' } },
                { name: 'system.host', arguments: {} },
              ],
            },
          ]
        : [{ text: 'I may not.' }],
    )
    await using app = await startTestApp({ database, model })
    const { client } = await plainUser(app)
    const result = await say(client, 'who am I?')
    expect(result).toMatchObject({ answer: 'I may not.', approvals: [], tool_calls_executed: [] })
    const calls = partsOf(await lastAnswer(client, result.conversation_id), 'tool_call')
    expect(calls.map(({ tool_call: { tool, status } }) => [tool, status])).toEqual([
      ['run_command', 'denied'],
      ['host', 'denied'],
    ])
    for (const told of toolResults(model.requests[1])) {
      expect(told).toContain('An administrator can allow its tools one by one.')
      expect(told).not.toContain(hostname())
    }
    const given = JSON.stringify(model.requests[0]?.tools ?? [])
    expect(given).toContain('tables')
    expect(given).not.toContain('run_command')
  })
})
