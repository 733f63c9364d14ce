import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { everyRoute } from './stage/sources/every-route.ts'
import { databases } from './stage/servers/postgres.ts'
import { sampleBody } from './stage/sources/sample-body.ts'
import { contentOf, ask, openSecurityStage, refusal, type SecurityStage } from './stage/security-stage.ts'

const deep = '['.repeat(10_000) + ']'.repeat(10_000)

/** What is sent → the refusals that are right. */
const HOSTILE: readonly { what: string; body: string | Buffer; codes: string[]; type?: string }[] = [
  { what: 'null', body: 'null', codes: ['invalid_request'] },
  { what: 'a list', body: '[]', codes: ['invalid_request'] },
  { what: 'an empty string', body: '""', codes: ['invalid_request'] },
  { what: 'a number', body: '0', codes: ['invalid_request'] },
  { what: 'truncated JSON', body: '{"name": "a', codes: ['malformed_json'] },
  { what: 'no JSON', body: 'name=a', codes: ['malformed_json'] },
  { what: 'bytes that are no text', body: Buffer.from([0x22, 0xff, 0xfe, 0x22]), codes: ['malformed_json'] },
  { what: 'deep nesting', body: `{"name":${deep}}`, codes: ['invalid_request'] },
  { what: 'the key __proto__', body: '{"__proto__":{"admin":true}}', codes: ['invalid_request'] },
  { what: 'constructor.prototype', body: '{"constructor":{"prototype":{"admin":true}}}', codes: ['invalid_request'] },
  { what: '3 MB', body: JSON.stringify({ name: 'a'.repeat(3_000_000) }), codes: ['payload_too_large'] },
  { what: 'a form', body: 'name=a', codes: ['unsupported_media_type'], type: 'application/x-www-form-urlencoded' },
  {
    what: 'plain text, as a form of another site would send it',
    body: '{"name":"a"}',
    codes: ['unsupported_media_type'],
    type: 'text/plain',
  },
]

describe.each(databases)('bodies on $name', (database) => {
  let stage: SecurityStage
  beforeAll(async () => {
    stage = await openSecurityStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const withJson = everyRoute.filter(({ route }) => route.body?.kind === 'json')
  const entitled = (access: string): TestClient => (access === 'admin' ? stage.admin : stage.ann)

  test('that no route expects are refused in the right words, and change nothing', async () => {
    const before = await contentOf(stage)
    for (const { name, route } of withJson) {
      const sent = HOSTILE.map(async ({ what, body, codes, type }) => {
        const headers = { 'content-type': type ?? 'application/json' }
        const { problem } = await ask(entitled(route.access), route, { ...stage, body, headers })
        // A route may take larger bodies than most.
        const fits = what === '3 MB' && route.body?.kind === 'json' && (route.body.limit ?? 0) > 3_000_000
        expect([name, what, problem?.code]).toEqual([name, what, expect.toBeOneOf(fits ? ['invalid_request'] : codes)])
      })
      await Promise.all(sent)
    }
    expect(await contentOf(stage)).toEqual(before)
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
    await stage.app.anonymous().call(contract.operation.health)
  })

  test('with a field too many are refused, and the field is named', async () => {
    const before = await contentOf(stage)
    for (const { name, route } of withJson) {
      const body = JSON.stringify({ ...sampleBody(route, stage.ids), surprise: true })
      const answer = await ask(entitled(route.access), route, { ...stage, body })
      expect([name, ...refusal(answer)]).toEqual([name, 422, 'invalid_request'])
      expect([name, answer.problem?.errors?.map(({ path }) => path)]).toEqual([
        name,
        expect.arrayContaining(['surprise']),
      ])
    }
    expect(await contentOf(stage)).toEqual(before)
  })

  test('missing where one is needed are refused', async () => {
    for (const { name, route } of withJson) {
      if (route.body?.kind !== 'json' || route.body.optional === true) continue
      const answer = await ask(entitled(route.access), route, { ...stage, body: undefined })
      expect([name, ...refusal(answer)]).toEqual([name, 422, 'invalid_request'])
    }
  })

  test('of uploads that are no file are refused and leave none', async () => {
    const before = await stage.ann.call(contract.files.list)
    const raw = everyRoute.filter(({ route }) => route.body?.kind === 'raw')
    const wrong: Record<string, string>[] = [
      { 'content-type': 'multipart/form-data' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'multipart/form-data; boundary=' },
      { 'x-file-name': '%' },
      { 'x-file-name': '%ff' },
      { 'x-file-name': 'a'.repeat(4000) },
      { 'x-file-name': '' },
    ]
    for (const { name, route } of raw) {
      for (const headers of wrong) {
        const { status, problem } = await ask(entitled(route.access), route, { ...stage, headers })
        expect([name, headers, status >= 400 && status < 500, problem !== null]).toEqual([name, headers, true, true])
      }
    }
    expect(await stage.ann.call(contract.files.list)).toEqual(before)
  })

  test('of login may be as long as they like: names and passwords without end are refused cheaply', async () => {
    const body = JSON.stringify({ username: 'a'.repeat(500_000), password: 'b'.repeat(500_000) })
    expect(refusal(await ask(stage.app.anonymous(), contract.accounts.login, { ...stage, body }))).toEqual([
      422,
      'invalid_request',
    ])
  })
})

describe.each(databases)('queries and headers on $name', (database) => {
  let stage: SecurityStage
  beforeAll(async () => {
    stage = await openSecurityStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('out of bounds are refused on every list', async () => {
    const lists = everyRoute.filter(({ route }) => route.query !== undefined && 'limit' in route.query.shape)
    expect(lists.length).toBeGreaterThan(3)
    for (const { name, route } of lists) {
      const client = name === 'accounts.audit' || route.access === 'admin' ? stage.admin : stage.ann
      for (const limit of ['0', '-1', '201', '1e9', 'NaN', '1.5', '99999999999999999999', '']) {
        const answer = await ask(client, route, { ...stage, query: `?limit=${limit}` })
        expect([name, limit, ...refusal(answer)]).toEqual([name, limit, 422, 'invalid_request'])
      }
      for (const cursor of ['', 'nonsense', '{}', '-1', "' or 1=1 --", 'a'.repeat(201), '\0', '1.\0', '🪐']) {
        const { status } = await ask(client, route, { ...stage, query: `?cursor=${encodeURIComponent(cursor)}` })
        expect([name, cursor, status < 500]).toEqual([name, cursor, true])
      }
      const twice = await ask(client, route, { ...stage, query: '?limit=1&limit=2' })
      expect([name, ...refusal(twice)]).toEqual([name, 422, 'invalid_request'])
    }
  })

  test('of search: wildcards, quotes and operators are letters like others', async () => {
    const { items } = await stage.ann.call(contract.chat.listConversations, { query: { q: 'private question' } })
    expect(items.map((each) => each.conversation_id)).toEqual([stage.ids.conversation_id])
    const find = async (q: string) => {
      const answer = await ask(stage.ann, contract.chat.listConversations, {
        ...stage,
        query: `?q=${encodeURIComponent(q)}`,
      })
      return { q, status: answer.status, found: (JSON.parse(answer.text) as { items: unknown[] }).items.length }
    }
    for (const q of [
      '%%%',
      '___',
      'priv_te',
      'priv%te',
      'private* OR question',
      'NEAR(private)',
      '\0\0\0',
      '🪐🪐🪐',
      'a'.repeat(200),
    ]) {
      expect(await find(q)).toEqual({ q, status: 200, found: 0 })
    }
    for (const q of ['"', "'", '\\', '*', '(', '-', '%', '_', '"private', "';--"])
      expect((await find(q)).status).toBe(200)
  })

  test('nested three thousand deep are refused wherever they stand, also in what is imported', async () => {
    const nested = (open: string, close: string) => `${open.repeat(3000)}1${close.repeat(3000)}`
    for (const { name, route } of everyRoute) {
      if (route.body?.kind !== 'json') continue
      const sample = sampleBody(route, stage.ids) ?? {}
      const { properties = {} } = z.toJSONSchema(route.body.schema, { io: 'input', unrepresentable: 'any' })
      const bodies = Object.keys(properties).flatMap((field) =>
        [nested('[', ']'), nested('{"a":', '}')].map((deeply) => {
          const text = JSON.stringify({ ...sample, [field]: 'HERE' })
          return text.replace('"HERE"', () => deeply)
        }),
      )
      for (const body of bodies) {
        const { status, problem } = await ask(route.access === 'admin' ? stage.admin : stage.ann, route, {
          ...stage,
          body,
        })
        expect([name, status, problem?.code]).toEqual([name, 422, 'invalid_request'])
      }
    }
    const message = { message_id: 'm', parent_id: null, role: 'user', status: 'complete', created_at: new Date(0) }
    const call = { index: 0, type: 'tool_call', tool_call: { arguments: { a: 'HERE' } } }
    const file = { format: 'reeve-conversation', version: 1, title: '', head_message_id: null }
    const text = JSON.stringify({ ...file, exported_at: new Date(0), messages: [{ ...message, parts: [call] }] })
    const body = text.replace('"HERE"', () => nested('{"a":', '}'))
    const answer = await ask(stage.ann, contract.chat.importConversation, { ...stage, body })
    expect([answer.status, answer.problem?.code]).toEqual([400, 'bad_import'])
    expect(answer.problem?.detail).toContain('nested')
    const view = encodeURIComponent('['.repeat(500) + ']'.repeat(500))
    const table = await ask(stage.ann, contract.tables.table, { ...stage, query: `?view=${view}` })
    expect([table.status, table.problem?.code]).toEqual([422, 'invalid_request'])
  })

  test('of strange shape never end the service', async () => {
    const strange: Record<string, string>[] = [
      { 'last-event-id': '-1' },
      { 'last-event-id': 'NaN' },
      { 'last-event-id': '9'.repeat(30) },
      { accept: '*'.repeat(5000) },
      { 'accept-language': 'x'.repeat(5000) },
      { cookie: ';;;=;;reeve_session=;;' },
      { authorization: 'Bearer' },
      { authorization: `Bearer ${'x'.repeat(8000)}` },
      { 'x-forwarded-for': '1.2.3.4, evil', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      { range: 'bytes=0-0,5-1,-9999999999' },
      { 'content-type': 'nonsense' },
    ]
    for (const { name, route } of everyRoute.filter(({ route: { method } }) => method === 'GET')) {
      const client = name === 'accounts.audit' || route.access === 'admin' ? stage.admin : stage.ann
      const sent = strange.map(async (headers) => {
        const { status } = await ask(client, route, { ...stage, headers })
        expect([name, headers, status < 500]).toEqual([name, headers, true])
      })
      await Promise.all(sent)
    }
    await stage.app.anonymous().call(contract.operation.health)
  })

  test('hold text that no database stores: it is replaced or refused', async () => {
    for (const { name, route } of everyRoute) {
      const client = name === 'accounts.audit' || route.access === 'admin' ? stage.admin : stage.ann
      for (const text of ['a\0b', 'a\ud800b']) {
        const sample = sampleBody(route, stage.ids) ?? {}
        for (const field of Object.keys(sample).filter((key) => typeof sample[key] === 'string')) {
          const { status } = await ask(client, route, { ...stage, body: JSON.stringify({ ...sample, [field]: text }) })
          expect([name, field, status < 500]).toEqual([name, field, true])
        }
        for (const field of Object.keys(route.query?.shape ?? {})) {
          const query = `?${field}=${encodeURIComponent(text.toWellFormed())}`
          const { status } = await ask(client, route, { ...stage, query })
          expect([name, field, status < 500]).toEqual([name, field, true])
        }
      }
    }
  })
})
