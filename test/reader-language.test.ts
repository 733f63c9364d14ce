import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { command, lastAnswer, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { accounts, chat, modules } = contract
const speak = (client: TestClient, language: 'de' | 'en' | 'ja') =>
  client.call(accounts.updatePreferences, { body: { language } })

describe.each(databases)('what modules say about themselves on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('each person reads tools in their language, while the engine reads the same definitions', async () => {
    const requests = stage.play('lantern', (_, index) => [{ text: `Answer ${index}.` }])
    const [ann, otto] = [await stage.member('ann'), await stage.member('otto')]
    await speak(otto.client, 'de')
    const read = async (client: TestClient) => (await client.call(chat.listTools)).items
    const [english, german] = [await read(ann.client), await read(otto.client)]
    const named = (items: typeof english) => items.map(({ module, tool }) => `${module}.${tool}`).sort()
    expect(named(german)).toEqual(named(english))
    const find = (items: typeof english, name: string) => items.find(({ tool }) => tool === name)
    expect(find(english, 'disks')).toMatchObject({
      title: 'Disks',
      description: expect.stringMatching(/^Mounted file/),
    })
    expect(find(german, 'disks')).toMatchObject({ title: 'Datenträger', description: expect.stringMatching(/^Zeigt/) })
    expect(find(english, 'processes')!.input_schema).toMatchObject({
      properties: { sort: { enum: ['cpu', 'memory', 'pid', 'started'] } },
    })
    expect(find(german, 'processes')!.input_schema).toMatchObject({
      properties: {
        sort: {
          title: 'Sortieren nach',
          enum: ['cpu', 'memory', 'pid', 'started'],
          enumNames: ['CPU', 'Arbeitsspeicher', 'Prozessnummer', 'Startzeit'],
        },
      },
    })
    await say(ann.client, 'lantern one')
    await say(otto.client, 'lantern two')
    expect(requests.length).toBe(2)
    expect(requests[1]!.tools).toEqual(requests[0]!.tools)
    expect(JSON.stringify(requests[1]!.tools)).not.toContain('Datenträger')
  })

  test('modules, their pages, settings and order are in the language; definitions stay the same', async () => {
    const admin = await stage.as('admin')
    const pages = async () => ({
      list: (await admin.call(modules.list)).catalog.map(({ name, display_name }) => `${name}: ${display_name}`),
      system: (await admin.call(modules.module, { params: { module_name: 'system' } })).module,
      fields: (await admin.call(modules.settings, { params: { module_name: 'http' } })).settings.fields,
    })
    const english = await pages()
    await speak(admin, 'de')
    const german = await pages()
    await speak(admin, 'en')
    expect(english.list).toEqual([
      'files: Files',
      'http: HTTP',
      'sql: SQL databases',
      'system: System',
      'tables: Tables',
    ])
    expect(german.list).toEqual([
      'files: Dateien',
      'http: HTTP',
      'sql: SQL-Datenbanken',
      'system: System',
      'tables: Tabellen',
    ])
    expect(german.system).toMatchObject({ description: expect.stringMatching(/^Zeigt den Zustand/) })
    expect(german.system.long_description).toMatch(/^Liest den Zustand/)
    const titles = german.system.tools.map(({ title }) => title)
    expect(titles).toEqual([...titles].sort(new Intl.Collator('de').compare))
    expect(titles).toContain('Befehl ausführen')
    const hashes = ({ system }: typeof german) => new Map(system.tools.map((tool) => [tool.name, tool.definition_hash]))
    expect(hashes(german)).toEqual(hashes(english))
    expect(german.fields.map(({ title }) => title)).toContain('Größenlimit (Bytes)')
    expect(german.fields.map(({ group }) => group)).toContain('Erreichbarkeit')
    expect(german.fields.map(({ key }) => key)).toEqual(english.fields.map(({ key }) => key))
  })

  test('cards and calls are told in the language of whoever reads, also after it changes; the approval stays', async () => {
    stage.play('anchor', [[{ calls: [command('true')] }], [{ text: 'Done.' }]])
    const { client } = await stage.member('kim')
    const asked = await say(client, 'anchor')
    expect(asked.approvals).toMatchObject([{ title: 'Run a command', summary: expect.stringMatching(/^Runs true/) }])
    const [card] = asked.approvals
    await speak(client, 'ja')
    const { items } = await client.call(chat.listApprovals, { query: {} })
    expect(items[0]).toMatchObject({ approval_id: card!.approval_id, title: 'コマンドを実行' })
    expect(items[0]!.summary).toMatch(/^trueを実行する（シェルスクリプトとして）、最長\d+秒$/)
    expect(items[0]!.arguments).toEqual(card!.arguments)
    const decision = { params: { approval_id: card!.approval_id }, body: { decision: 'approve' as const } }
    const { result } = await client.call(chat.decideApproval, decision)
    expect(result).toMatchObject({ tool_calls_executed: [{ title: 'コマンドを実行', status: 'done' }] })
    const [part] = partsOf(await lastAnswer(client, asked.conversation_id), 'tool_call')
    expect(part).toMatchObject({ tool_call: { title: 'コマンドを実行' }, approval: { title: 'コマンドを実行' } })
    await speak(client, 'en')
    const [again] = partsOf(await lastAnswer(client, asked.conversation_id), 'tool_call')
    expect(again).toMatchObject({ tool_call: { title: 'Run a command' }, approval: { summary: card!.summary } })
  })

  test('a command typed by hand: the conversation, the table and suggestions are in its owner’s language', async () => {
    await using direct = await openStage(database, { engine: false })
    const { client } = await direct.member('max')
    await speak(client, 'de')
    const { conversation_id } = await say(client, '/system.disks', { conversation_id: null })
    const { items } = await client.call(chat.listConversations, { query: {} })
    expect(items.find((each) => each.conversation_id === conversation_id)).toMatchObject({ title: 'Datenträger' })
    const tables = partsOf(await lastAnswer(client, conversation_id), 'table').map(({ table }) => table)
    expect(tables[0]).toMatchObject({ title: 'Dateisysteme' })
    expect(tables[0]!.columns.map(({ key, label }) => [key, label])).toContainEqual(['size', 'Größe'])
    const { answer } = await say(client, 'Wie voll ist die Festplatte?', { conversation_id: null })
    expect(answer).toContain('`/system.disks` – Zeigt eingehängte Dateisysteme')
  })

  test('an installed module brings its own translations, and what it agreed to stays as it is', async () => {
    const admin = await stage.as('admin')
    const locales = {
      de: {
        'The plain': 'Das Schlichte',
        'A small server for tests': 'Ein kleiner Server\u202e für Tests',
        Echo: 'Echo'.repeat(500),
      },
    }
    await install(admin, await makeBundle({ meta: { locales } }))
    const params = { module_name: 'plain' }
    await admin.call(modules.enable, { params, body: {} })
    const read = async () => (await admin.call(modules.module, { params })).module
    const english = await read()
    await speak(admin, 'de')
    const german = await read()
    await speak(admin, 'en')
    expect(english).toMatchObject({ display_name: 'The plain', description: 'A small server for tests' })
    expect(german).toMatchObject({
      display_name: 'Das Schlichte',
      description: 'Ein kleiner Server\\u{202e} für Tests',
    })
    const agreed = ({ tools }: typeof german) =>
      tools
        .map(({ name, description, definition_hash, pin }) => [name, description, definition_hash, pin])
        .sort((a, b) => (a[0]! < b[0]! ? -1 : 1))
    expect(agreed(german)).toEqual(agreed(english))
  })
})
