import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { asked, completed, held, readingModule } from './stage/modules/reading-module.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const PAGE = { uri: 'manual://start' }

describe.each(databases)('resources of modules on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { builtins: [readingModule] })
    ann = (await stage.member('ann', [{ subject: 'tool:reader.resources', effect: 'allow' }])).client
    await until(async () => (await ann.call(contract.chat.listResourceModules)).items.length > 0)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const list = async (client: TestClient, q = '') => client.call(contract.chat.listResources, { query: { q } })
  const read = (
    client: TestClient,
    resource: { uri: string } | { template: string; values: Record<string, string> },
    confirmed = false,
  ) => client.call(contract.chat.readResource, { body: { module: 'reader', resource, confirmed } })
  const audited = async () => {
    const { items } = await (
      await stage.as('admin')
    ).call(contract.accounts.audit, {
      query: { action: 'resource.read' },
    })
    return items
  }

  test('are listed with what is said of them, and found by its words', async () => {
    const { items, more, silent } = await list(ann)
    expect([more, silent]).toEqual([false, []])
    expect(items.map(({ uri, template }) => uri ?? template)).toEqual([
      'manual://start',
      'manual://logo',
      'manual://empty',
      'manual://broken',
      'manual://huge',
      'https://manual.invalid/start',
      'manual://held',
      'log://{host}/{day}',
    ])
    expect(items[0]).toEqual({
      module: 'reader',
      uri: 'manual://start',
      template: null,
      arguments: [],
      name: 'start',
      title: 'First page',
      description: 'How to begin',
      media_type: 'text/markdown',
      size: 12,
    })
    expect((await list(ann, 'READER begin')).items.map(({ name }) => name)).toEqual(['start'])
    expect((await list(ann, 'log day')).items).toMatchObject([
      { template: 'log://{host}/{day}', arguments: ['host', 'day'] },
    ])
    const first = await ann.call(contract.chat.listResources, { query: { limit: 2 } })
    expect([first.items.length, first.more]).toEqual([2, true])
  })

  test('become files of the person that say where they are from, attached like others, and audited', async () => {
    const { files, left_out } = await read(ann, PAGE)
    const origin = { module: 'reader', uri: 'manual://start' }
    expect([left_out, files]).toEqual([0, [expect.objectContaining({ name: 'start.md', size: 12, origin })]])
    const { file_id } = files[0]!
    const listed = await ann.call(contract.files.list, {})
    expect(listed.items[0]).toMatchObject({ file_id, origin })
    const { conversation_id } = await say(ann, 'What does it say?', { attachment_ids: [file_id] })
    const { messages, untrusted } = await ann.call(contract.chat.conversation, { params: { conversation_id } })
    expect(partsOf(messages[0]!, 'file')).toMatchObject([{ file: { file_id, origin } }])
    expect(untrusted).toMatchObject({ kind: 'file', name: 'start.md' })
    expect((await audited())[0]).toMatchObject({
      actor: 'ann',
      target: 'reader',
      outcome: 'ok',
      details: { uri: 'manual://start', confirmed: false, files: [{ file_id, name: 'start.md', size: 12 }] },
    })
  })

  test('of a family are read by their values', async () => {
    const { files } = await read(ann, { template: 'log://{host}/{day}', values: { host: 'web', day: 'monday' } })
    expect(files).toMatchObject([{ name: 'log monday.txt', origin: { uri: 'log://web/monday' } }])
    const answer = await ann.call(contract.files.download, { params: { file_id: files[0]!.file_id } })
    expect(await answer.text()).toBe('monday of web')
    const before = asked.length
    await expect(read(ann, { template: 'log://{host}/{day}', values: { host: 'web' } })).rejects.toMatchObject({
      code: 'invalid_request',
      problem: { detail: '“day” is required.', errors: [{ path: 'resource.values.day' }] },
    })
    const long = { template: 'log://{host}/{day}', values: { host: 'й'.repeat(400), day: 'monday' } }
    await expect(read(ann, long)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(read(ann, { template: 'log://{host', values: {} })).rejects.toMatchObject({ code: 'not_found' })
    expect(asked).toHaveLength(before)
  })

  test('of a family are judged once, by the address that the module would be asked for, before it is', async () => {
    const approvers = [{ role_id: (await stage.member('gus', [])).role_id, count: 1 }]
    const { client } = await stage.member('hal', [{ subject: 'tool:reader.resources', effect: 'ask', approvers }])
    const before = asked.length
    const entries = (await audited()).length
    await expect(
      read(client, { template: 'log://{host}/{day}', values: { host: 'a/b', day: 'monday' } }, true),
    ).rejects.toMatchObject({ code: 'forbidden' })
    expect(asked).toHaveLength(before)
    const after = await audited()
    expect(after).toHaveLength(entries + 1)
    expect(after[0]).toMatchObject({ actor: 'hal', outcome: 'refused', details: { uri: 'log://a%2Fb/monday' } })
  })

  test('with an address of the web are read from the module, not from there', async () => {
    const { files, left_out } = await read(ann, { uri: 'https://manual.invalid/start' })
    expect([left_out, files]).toMatchObject([
      0,
      [{ name: 'web.html', origin: { module: 'reader', uri: 'https://manual.invalid/start' } }],
    ])
    const answer = await ann.call(contract.files.download, { params: { file_id: files[0]!.file_id } })
    expect(await answer.text()).toBe('<p>here</p>')
  })

  test('that the module was asked for are audited when it gives nothing', async () => {
    await expect(read(ann, { uri: 'manual://broken' })).rejects.toMatchObject({ code: 'module_unavailable' })
    expect((await audited())[0]).toMatchObject({
      actor: 'ann',
      target: 'reader',
      outcome: 'failed',
      details: { uri: 'manual://broken', reason: expect.stringContaining('The page is torn.') },
    })
  })

  test('are read by one person, and from one module, a few at a time', async () => {
    const { client } = await stage.member('ida', [{ subject: 'tool:reader.resources', effect: 'allow' }])
    const third = (await stage.member('jan', [{ subject: 'tool:reader.resources', effect: 'allow' }])).client
    const both = [client, client, ann, ann].map((person) => read(person, { uri: 'manual://held' }))
    await until(() => held.length === 4)
    const more = { code: 'too_many_readings', status: 429 }
    await expect(read(client, PAGE)).rejects.toMatchObject(more)
    await expect(read(third, PAGE)).rejects.toMatchObject(more)
    for (const goOn of held.splice(0)) goOn()
    expect((await Promise.all(both)).map(({ files }) => files.length)).toEqual([1, 1, 1, 1])
    expect((await read(third, PAGE)).files).toHaveLength(1)
  })

  test('that are empty, too large, torn or not offered leave nothing behind', async () => {
    const before = (await ann.call(contract.files.list, {})).items.length
    const kinds = ['empty', 'huge', 'broken', 'unnamed', 'secret'].map((name) => `manual://${name}`)
    const codes: unknown[] = []
    for (const uri of kinds) codes.push(await read(ann, { uri }).catch((error: { code: string }) => error.code))
    expect(codes).toEqual(['not_found', 'not_found', 'module_unavailable', 'module_unavailable', 'module_unavailable'])
    expect((await ann.call(contract.files.list, {})).items).toHaveLength(before)
  })

  test('ask where the rules ask, and a program cannot confirm', async () => {
    const { client } = await stage.member('ben', [{ subject: 'tool:reader.*', effect: 'ask' }])
    expect((await client.call(contract.chat.listResourceModules)).items).toEqual([
      { module: 'reader', title: 'Reader', policy: 'ask' },
    ])
    await expect(read(client, PAGE)).rejects.toMatchObject({ status: 409, code: 'approval_required' })
    expect((await read(client, PAGE, true)).files).toHaveLength(1)
    expect((await audited())[0]).toMatchObject({ actor: 'ben', details: { confirmed: true } })
    const { token } = await client.call(contract.accounts.createToken, { body: { name: 'program' } })
    const program = stage.anonymous()
    program.bearer = token
    await expect(read(program, PAGE, true)).rejects.toMatchObject({ code: 'approval_required' })
  })

  test('are not there for whom they are denied, or where others decide', async () => {
    const denied = (await stage.member('cara', [{ subject: 'tool:reader.*', effect: 'deny' }])).client
    expect((await list(denied)).items).toEqual([])
    await expect(read(denied, PAGE, true)).rejects.toMatchObject({ code: 'not_found' })
    const approvers = [{ role_id: (await stage.member('ed', [])).role_id, count: 1 }]
    const others = await stage.member('fay', [{ subject: 'tool:reader.resources', effect: 'ask', approvers }])
    await expect(read(others.client, PAGE, true)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await audited())[0]).toMatchObject({ actor: 'fay', outcome: 'refused', details: { uri: 'manual://start' } })
  })

  test('suggest values for families and prompts, asked once for the same, to whom may use them', async () => {
    const suggest = (
      client: TestClient,
      of: { prompt: string } | { template: string },
      argument: string,
      value: string,
      given = {},
    ) => client.call(contract.chat.suggestValues, { body: { module: 'reader', of, argument, value, given } })
    completed.length = 0
    const family = { template: 'log://{host}/{day}' }
    expect(await suggest(ann, family, 'day', 'm')).toEqual({ values: ['monday'] })
    expect(await suggest(ann, family, 'day', 'm')).toEqual({ values: ['monday'] })
    expect(await suggest(ann, family, 'day', 'm', { host: 'closed' })).toEqual({ values: [] })
    expect(await suggest(ann, { prompt: 'plan' }, 'day', '')).toEqual({ values: ['monday', 'tuesday', 'wednesday'] })
    expect(completed).toEqual(['day=m', 'day=m', 'day='])
    await expect(suggest(ann, { prompt: 'none' }, 'day', '')).rejects.toMatchObject({ code: 'not_found' })
    await expect(suggest(ann, { template: 'log://{other}' }, 'other', '')).rejects.toMatchObject({ code: 'not_found' })
    await expect(suggest(ann, family, 'none', '')).rejects.toMatchObject({ code: 'not_found' })
    expect(completed).toHaveLength(3)
    await expect(suggest(ann, { prompt: 'plan' }, 'none', '')).rejects.toMatchObject({ code: 'not_found' })
    const denied = (await stage.member('eve', [{ subject: 'tool:reader.*', effect: 'deny' }])).client
    await expect(suggest(denied, family, 'day', 'm')).rejects.toMatchObject({ code: 'not_found' })
    await expect(suggest(denied, { prompt: 'plan' }, 'day', '')).rejects.toMatchObject({ code: 'not_found' })
  })
})
