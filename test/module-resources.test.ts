import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { completed, readingModule } from './stage/modules/reading-module.ts'
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
    await expect(read(ann, { template: 'log://{host}/{day}', values: { host: 'web' } })).rejects.toMatchObject({
      code: 'module_unavailable',
      problem: { detail: expect.stringContaining('“day” is required') },
    })
  })

  test('that are empty, too large, torn or not offered leave nothing behind', async () => {
    const before = (await ann.call(contract.files.list, {})).items.length
    const kinds = ['empty', 'huge', 'broken', 'unnamed', 'secret'].map((name) => `manual://${name}`)
    const codes = kinds.map((uri) => read(ann, { uri }).catch((error: { code: string }) => error.code))
    expect(await Promise.all(codes)).toEqual([
      'not_found',
      'not_found',
      'module_unavailable',
      'module_unavailable',
      'module_unavailable',
    ])
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
    await expect(suggest(ann, { prompt: 'plan' }, 'none', '')).rejects.toMatchObject({ code: 'not_found' })
    const denied = (await stage.member('eve', [{ subject: 'tool:reader.*', effect: 'deny' }])).client
    await expect(suggest(denied, family, 'day', 'm')).rejects.toMatchObject({ code: 'not_found' })
    await expect(suggest(denied, { prompt: 'plan' }, 'day', '')).rejects.toMatchObject({ code: 'not_found' })
  })
})
