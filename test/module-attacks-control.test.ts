import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databaseContent } from './stage/databases/database-content.ts'
import { attackBundle, runAttack } from './stage/modules/attack-module.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

const { modules } = contract

/** All tools that come with Reeve. Whoever adds one looks here: none may install, enable or set up a module. */
const BUILTIN_TOOLS = `
  files.list files.read files.search files.undo_write files.write
  http.fetch http.request
  sql.databases sql.explain sql.query sql.schema
  system.cpu system.disks system.host system.logs system.memory system.network system.processes system.run_command
  system.services system.signal_process
  system.certificates system.disk_usage system.file system.firewall
  system.journal_vacuum system.operation system.package system.packages system.power system.run_command_as_root
  system.service system.timers system.undo system.user system.users
  tables.aggregate tables.describe tables.filter tables.join tables.query`
  .trim()
  .split(/\s+/)
/** Called by Reeve for previews and verifications, and never by a model. */
const HIDDEN_TOOLS = [
  'files.preview_undo_write',
  'files.preview_write',
  'files.verify_write',
  'system.preview_file',
  'system.preview_journal_vacuum',
  'system.preview_package',
  'system.preview_power',
  'system.preview_service',
  'system.preview_undo',
  'system.preview_user',
  'system.verify_file',
  'system.verify_journal_vacuum',
  'system.verify_package',
  'system.verify_power',
  'system.verify_service',
  'system.verify_user',
]

describe.each(databases)('who decides about modules, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database)
    admin = await stage.as('admin')
  })
  afterAll(() => stage[Symbol.asyncDispose]())
  async function moduleRows(): Promise<unknown> {
    const rows = Object.entries(await databaseContent(stage.app.db))
    return rows.filter(([table]) => table.startsWith('module'))
  }

  test('no model: it has no tool that installs, enables or sets up a module', async () => {
    const requests = stage.play('maple', [[{ text: 'Yes.' }]])
    await say(admin, 'maple')
    const offered = requests[0]!.tools.map(({ name }) => name.replace('__', '.'))
    expect(offered.filter((name) => !BUILTIN_TOOLS.includes(name))).toEqual([])
    const { catalog } = await admin.call(modules.list)
    for (const { name } of catalog) {
      const { module } = await admin.call(modules.module, { params: { module_name: name } })
      const listed = module.tools.map((tool) => `${name}.${tool.name}`)
      expect(listed.filter((tool) => ![...BUILTIN_TOOLS, ...HIDDEN_TOOLS].includes(tool))).toEqual([])
    }
  })

  test('no file that is imported: conversations and quick commands bring no module along', async () => {
    const before = await moduleRows()
    const ann = await stage.as('ann')
    const source = stage.play('cedar', [
      [{ calls: [{ name: 'system.host', arguments: {} }] }],
      [{ text: 'That is it.' }],
    ])
    const { conversation_id } = await say(ann, 'cedar')
    expect(source).toHaveLength(2)
    const file = await ann.call(contract.chat.exportConversation, {
      params: { conversation_id },
      query: { format: 'json' },
    })
    const text = Buffer.from(await file.arrayBuffer()).toString()
    const server = { command: 'sh', args: ['-c', 'id'] }
    const forged = JSON.parse(text.replaceAll('"system"', '"planted"').replaceAll('"host"', '"install"')) as object
    const { csrfToken } = ann
    const post = (path: string, body: object) =>
      ann.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken ?? '' },
        body: JSON.stringify(body),
      })
    expect((await post('/api/chat/conversations/import', forged)).status).toBe(200)
    const more = { ...forged, modules: [{ name: 'planted', mcp_config: server }], mcpServers: { planted: server } }
    const { status } = await post('/api/chat/conversations/import', more)
    expect([200, 400, 422]).toContain(status)
    const commands = [{ name: 'Set up', prompt: '/planted.install {}', run_mode: 'send', folder: null }]
    const answer = await post('/api/quick-commands/import', {
      version: 1,
      folders: [],
      commands,
    })
    expect(answer.status).toBe(200)
    const withServers = { version: 1, folders: [], commands, mcpServers: { planted: server } }
    expect((await post('/api/quick-commands/import', withServers)).status).toBe(422)
    expect(await moduleRows()).toEqual(before)
    const { catalog } = await admin.call(modules.list)
    expect(catalog.map(({ name }) => name)).not.toContain('planted')
    expect(
      (await say(ann, '/planted.install {}')).tool_calls_executed.filter(({ status }) => status === 'done'),
    ).toEqual([])
  })

  test('no setting: what a module runs, where it is and what it may reach are not among them', async () => {
    const user_config = { note: { type: 'string', title: 'Note', description: 'Any text' } }
    await install(admin, await makeBundle({ name: 'fixed', user_config, args: ['${user_config.note}'] }))
    const params = { module_name: 'fixed' }
    const launch = async () => {
      const { module } = await admin.call(modules.module, { params })
      return [module.review?.command, module.review?.args, module.grants, module.enabled, module.url]
    }
    const before = await launch()
    const path = '/api/modules/fixed/settings'
    for (const body of [
      { values: {}, server: { mcp_config: { command: 'sh' } } },
      { values: {}, command: 'sh', args: [], enabled: true },
      { values: { command: 'sh' } },
      { values: { 'server.mcp_config.command': 'sh' } },
      { values: { grants: ['/'] } },
      { values: { url: 'https://example.com' } },
      { values: { __proto__: { command: 'sh' }, constructor: 'x' } },
    ]) {
      const headers = { 'content-type': 'application/json', 'x-csrf-token': admin.csrfToken ?? '' }
      const { status } = await admin.fetch(path, { method: 'PUT', headers, body: JSON.stringify(body) })
      expect([body, status]).toEqual([body, 422])
    }
    const note = '${__dirname}/../../x" --require=/tmp/x.js; $(id) `id` ${user_config.other}'
    await admin.call(modules.saveSettings, { params, body: { values: { note } } })
    expect(await launch()).toEqual(before)
  })
})

test('a module forges no line of the log of the service, nor of its own', async () => {
  await using service = await startProcess({ env: { REEVE_LOG_LEVEL: 'debug' } })
  const admin = await service.as('admin')
  const forged = JSON.stringify({ level: 30, msg: 'FORGED', actor: 'admin' })
  const SAY = `first\n${forged}\r\n\u001b[2K\u001b[1A${forged}\u2028${forged}\n<img src=x onerror=alert(1)>\n`
  await install(admin, await attackBundle({ name: 'quiet', env: { SAY }, tools: [{ name: `x\n${forged}` }] }))
  await admin.call(modules.enable, { params: { module_name: 'quiet' }, body: {} })
  const loud = { name: 'loud', env: { SAY }, tools: [{ name: 'crash' }] }
  await runAttack(admin, loud)
  const log = await until(async () => {
    const { module } = await admin.call(modules.module, { params: { module_name: 'loud' } })
    return module.log.length > 0 && module.log
  })
  expect(log[0]).toBe('first')
  expect(log.join('')).not.toMatch(/\p{Cc}|\u2028/u)
  const { module } = await admin.call(modules.diagnostics, { params: { module_name: 'loud' } })
  process.kill(module.process!.pid, 'SIGKILL')
  await until(() => service.log.some(({ msg }) => msg === 'module went away'))
  await service.kill('SIGTERM')
  // Each line of the log is one entry, and none is the module's.
  expect(
    service.log.filter((entry) => entry.msg === 'FORGED' || entry.actor === 'admin' || entry.time === undefined),
  ).toEqual([])
})
