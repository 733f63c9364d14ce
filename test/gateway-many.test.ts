import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide, openStage, type Stage } from './stage/chat-stage.ts'
import { callThrough, clientToken, connectMcp, type McpClient } from './stage/gateway/mcp-client.ts'
import { wideModule } from './stage/modules/wide-module.ts'
import { databases } from './stage/servers/postgres.ts'

const RULES = [
  { subject: 'tool:wide.*', effect: 'allow' as const },
  { subject: 'tool:wide.look_7', effect: 'deny' as const },
]

describe.each(databases)('a list that is too long for a model, on $name', (database) => {
  let stage: Stage
  let client: McpClient
  let user_id: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, gatewayHold: 300, builtins: [wideModule(60)] })
    const member = await stage.member('ann', RULES)
    ;({ user_id } = member)
    client = await connectMcp(
      stage.url,
      (await clientToken(member.client, ['tool:wide.*', 'files.create'])).token,
      '2026-07-28',
    )
  })
  afterAll(async () => {
    await client.close()
    await stage[Symbol.asyncDispose]()
  })

  test('has twenty of them, the same each time, and the two that find and call the others', async () => {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toHaveLength(23)
    expect(names.slice(-3)).toEqual(['reeve_find', 'reeve_call', 'reeve_result'])
    expect(names.slice(0, 20)).toEqual(names.slice(0, 20).toSorted())
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names)
  })

  test('what is not in it is found by words, and called as itself', async () => {
    const found = await client.callTool({ name: 'reeve_find', arguments: { words: 'the Lighthouse of the harbour' } })
    const { tools } = found.structuredContent as { tools: { name: string; inputSchema: object }[] }
    expect(tools[0]).toMatchObject({ name: 'wide__look_33', inputSchema: { type: 'object' } })
    const call = { tool: 'wide__look_33', arguments: { depth: 2 } }
    expect((await callThrough(client, 'reeve_call', call)).text).toContain('At 33, 2 deep.')
    expect((await callThrough(client, 'wide__look_33')).text).toContain('At 33, 0 deep.')
    const wrong = await callThrough(client, 'reeve_call', { ...call, arguments: { depth: 'deep' } })
    expect(wrong).toMatchObject({ isError: true, status: 'refused' })
  })

  test('what is denied is neither found nor called', async () => {
    const found = await client.callTool({ name: 'reeve_find', arguments: { words: 'look_7' } })
    expect(JSON.stringify(found.structuredContent)).not.toContain('look_7"')
    await expect(client.callTool({ name: 'reeve_call', arguments: { tool: 'wide__look_7' } })).rejects.toThrow(
      /no tool/,
    )
    await expect(client.callTool({ name: 'reeve_call', arguments: { tool: 'reeve_call' } })).rejects.toThrow(/no tool/)
  })

  test('what changes something asks, although a rule allows it: nobody knows what the client has read', async () => {
    const call = { tool: 'wide__set_lamp', arguments: { to: 'lit' } }
    const waiting = await callThrough(client, 'reeve_call', call)
    expect(waiting.status).toBe('waiting_approval')
    const card = await stage.app.db.read
      .selectFrom('approval')
      .select(['approval_id', 'tool'])
      .where('user_id', '=', user_id)
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow()
    expect(card.tool).toBe('set_lamp')
    await decide(await stage.signIn('ann'), card.approval_id, 'approve')
    expect((await callThrough(client, 'reeve_result', { call: waiting.call })).text).toContain('The lamp is lit.')
  })

  test('a picture comes as one, another file as a link', async () => {
    const { content } = await callThrough(client, 'wide__draw')
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link'])
    expect(content[1]).toMatchObject({ mimeType: 'image/png' })
    const link = new URL(content[2]!.uri!)
    expect(link.origin).toBe(new URL(stage.url).origin)
    const file = await (await stage.signIn('ann')).fetch(link.pathname)
    expect([file.status, await file.text()]).toEqual([200, 'a note'])
  })
})
