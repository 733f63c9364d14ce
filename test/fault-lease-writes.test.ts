import { Server } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { Database } from '../server/db/database.ts'
import type { BuiltinModule } from '../server/modules/spec/builtin-module.ts'
import { begin, openStage, say, textOf, type Stage } from './stage/chat-stage.ts'
import { readRun } from './stage/run-ledger.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate, type Gate, type ScriptedRequest } from './stage/servers/scripted-model.ts'

/** Its lease alone counts: as of an earlier version, it has no row among the processes. */
const OTHER_MACHINE = 'another-machine/pid:[1]/1'
const postgres = databases.find(({ name }) => name === 'postgres')
const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(80)
const TOO_LONG = { status: 400, body: { error: { message: 'maximum context length exceeded' } } }
const USAGE = { prompt_tokens: 700, completion_tokens: 30 }
const MANIFEST = {
  manifest_version: '0.3',
  name: 'late',
  display_name: 'Late',
  version: '1.0.0',
  description: 'Makes a file, when it may',
  author: { name: 'Reeve' },
  server: { type: 'node', entry_point: 'main.js', mcp_config: { command: 'node', args: ['${__dirname}/main.js'] } },
}
const PRICED = { REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '8' }

/** What a driver still wants to write, wherever it writes, after another machine has taken its run. */
// The embedded database has one process: nobody else can have taken a run there.
describe.runIf(postgres)('a lease lost on PostgreSQL', () => {
  const database = postgres!

  test('during compaction: neither the summary nor what it cost is stored', async () => {
    await using stage = await openStage(database, { env: { REEVE_AI_CONTEXT_TOKENS: '3000', ...PRICED } })
    // Without tools in the prompt its size is the conversation's alone.
    const { client, user_id } = await stage.member('ann', [{ subject: 'tool:system.*', effect: 'deny' }])
    const held = gate()
    const requests = stage.play('otter', (request) =>
      isSummary(request) ? [{ wait: held }, { text: 'Otters.' }, { usage: USAGE }] : [{ text: 'Noted.' }],
    )
    const { conversation_id } = await say(client, `otter one ${LONG}`)
    const { run_id } = await begin(client, `otter two ${LONG}`, { conversation_id })
    await held.reached
    const used = await usageOf(stage.app.db, user_id)
    await expectNothingWritten(stage, run_id, held)
    expect(requests.filter(isSummary)).toHaveLength(1)
    expect(isSummary(requests.at(-1)!)).toBe(true)
    expect(await usageOf(stage.app.db, user_id)).toEqual(used)
  })

  test('before a notice: it is not said, and the engine is not asked again', async () => {
    await using stage = await openStage(database)
    const held = gate()
    const requests = stage.play('stoat', [
      [{ wait: held }, { status: 429, headers: { 'retry-after': '0' }, body: {} }],
      [{ text: 'Too late.' }],
    ])
    const { run_id } = await begin(await stage.as('admin'), 'stoat')
    await expectNothingWritten(stage, run_id, held)
    expect(requests).toHaveLength(1)
  })

  test('before a second prompt: what is known of the attachments stays as the new driver has it', async () => {
    await using stage = await openStage(database)
    const client = await stage.as('admin')
    const { file } = await client.call(contract.files.upload, {
      body: Buffer.from('Nothing of note.'),
      headers: { 'x-file-name': 'note.txt' },
    })
    const held = gate()
    const requests = stage.play('weasel', [[{ wait: held }, TOO_LONG], [{ text: 'Too late.' }]])
    const { run_id } = await begin(client, 'weasel', { attachment_ids: [file.file_id] })
    await expectNothingWritten(stage, run_id, held)
    expect(requests).toHaveLength(1)
  })

  test('during a call: its progress, its question, its file and its result are not stored', async () => {
    const held = gate()
    const answers: unknown[] = []
    await using stage = await openStage(database, { builtins: [lateModule(held, answers)] })
    const { client, user_id } = await stage.member('ann', [{ subject: 'tool:late.*', effect: 'allow' }])
    const { run_id } = await begin(client, '/late.make {}')
    await expectNothingWritten(stage, run_id, held)
    expect(answers).toEqual([{ action: 'cancel' }])
    const files = stage.app.db.read.selectFrom('file').selectAll().where('user_id', '=', user_id)
    expect(await files.execute()).toEqual([])
  })
})

/** Lets another machine take the run while the engine is held at the gate, and the driver go on until it gives up. */
async function expectNothingWritten({ app: { db, chat } }: Stage, run_id: string, held: Gate): Promise<void> {
  await held.reached
  await db.write
    .updateTable('run')
    .set((eb) => ({
      lease_owner: OTHER_MACHINE,
      lease_expires_at: Date.now() + 60_000,
      epoch: eb('epoch', '+', 1),
      // Whatever the driver that lost the run still says of them would show.
      attachments: '{"files":[]}',
    }))
    .where('run_id', '=', run_id)
    .execute()
  const before = await readRun(db.read, run_id)
  held.open()
  // Returns when nothing is driven any more.
  await chat.runner.stopAll()
  expect(await readRun(db.read, run_id)).toEqual(before)
}

/** A module whose only tool, once the gate is open, does everything that stores something of a call. */
function lateModule(held: Gate, answers: unknown[]): BuiltinModule {
  return {
    manifest: MANIFEST,
    reach: 'own',
    createServer: () => {
      const server = new Server({ name: 'late', version: '1.0.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({
        tools: [{ name: 'make', inputSchema: { type: 'object' as const }, annotations: { readOnlyHint: true } }],
      }))
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        held.arrive()
        await held.opened
        const progressToken = params._meta?.progressToken ?? 0
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, message: 'Half of it' },
        })
        const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } }
        answers.push(await mcpReq.elicitInput({ mode: 'form', message: 'Which name?', requestedSchema }))
        const resource = { uri: 'file:///late.txt', mimeType: 'text/plain', blob: 'bGF0ZQ==' }
        return {
          content: [
            { type: 'text' as const, text: 'Made.' },
            { type: 'resource' as const, resource },
          ],
        }
      })
      return Promise.resolve(server as never)
    },
  }
}

function usageOf({ read }: Database, user_id: string) {
  return read.selectFrom('usage_day').selectAll().where('user_id', '=', user_id).execute()
}

function isSummary(request: ScriptedRequest): boolean {
  return textOf(request.messages[0]?.content).startsWith('Summarise')
}
