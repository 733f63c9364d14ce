import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, decide } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { callThrough, clientToken, connectMcp, type McpClient } from './stage/gateway/mcp-client.ts'
import { startProcess, type TestProcess } from './stage/process.ts'
import { linesIn } from './stage/run-ledger.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

/** Two starts of a real process, on a machine that others use. */
const LIMIT = 180_000
const TOOL = 'system__run_command'

/** The card of a call of a client, as the person sees it. */
async function cardOf(person: TestClient) {
  const card = async () => (await person.call(contract.chat.listApprovals, { query: { status: 'pending' } })).items[0]
  return until(card, { what: 'the card is there', timeout: 120_000 })
}

async function connected(service: TestProcess) {
  const person = await service.as('admin')
  const { token } = await clientToken(person, ['tool:system.*'])
  return { person, connect: () => connectMcp(service.url, token, '2026-07-28') }
}

/** A call whose answer is lost with the service. */
async function lostCall(client: McpClient, script: string): Promise<void> {
  await client.callTool({ name: TOOL, arguments: command(script).arguments }).catch(() => undefined)
}

describe.each(databases)('SIGKILL under a call of an MCP client, on $name', (database) => {
  test(
    'between the card and the decision: the call runs once, and its client gets the result',
    { timeout: LIMIT },
    async () => {
      const url = await database.url()
      await using service = await startProcess({ database: { ...database, url: () => Promise.resolve(url) } })
      const { person, connect } = await connected(service)
      const file = join(service.dataFolder, 'once')
      const script = `echo 1 >> ${file}; echo decided`
      await using before = await connect()
      const lost = lostCall(before, script)
      const { approval_id, run_id } = await cardOf(person)
      await service.kill()
      await lost
      expect(linesIn(file)).toBe(0)
      await service.restart()
      await using after = await connect()
      const handle = callThrough(after, 'reeve_result', { call: run_id })
      await decide(person, approval_id, 'approve')
      const told = await handle
      expect(told).toMatchObject({ isError: false })
      expect(told.text).toContain('decided')
      expect(linesIn(file)).toBe(1)
    },
  )

  test('while it runs: its end is unknown, it is told so, and it is not run again', { timeout: LIMIT }, async () => {
    const url = await database.url()
    await using service = await startProcess({ database: { ...database, url: () => Promise.resolve(url) } })
    const { person, connect } = await connected(service)
    const file = join(service.dataFolder, 'begun')
    await using before = await connect()
    const lost = lostCall(before, `echo 1 >> ${file}; sleep 600`)
    const { approval_id, run_id } = await cardOf(person)
    await decide(person, approval_id, 'approve', { headers: { prefer: 'respond-async' } })
    await until(() => linesIn(file) === 1, { what: 'the command has begun', timeout: 120_000 })
    await service.kill()
    await lost
    await service.restart()
    await using after = await connect()
    const told = await callThrough(after, 'reeve_result', { call: run_id })
    expect(told).toMatchObject({ isError: true, status: 'unknown' })
    expect(told.text).toContain('It is unknown whether this took effect')
    expect(linesIn(file)).toBe(1)
  })
})
