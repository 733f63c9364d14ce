import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Route } from '../contract/route.ts'
import { everyRoute, placeholders } from './stage/sources/every-route.ts'
import { readEvents } from './stage/event-stream.ts'
import { databases } from './stage/servers/postgres.ts'
import { belongings, type Ids } from './stage/belongings.ts'
import {
  contentOf,
  ask,
  idsFor,
  openSecurityStage,
  refusal,
  type Answer,
  type SecurityStage,
} from './stage/security-stage.ts'

/** As a stranger would guess them, and as no stranger should. */
const NONSENSE = [
  'cnv_00000000000000000000000000',
  'nowhere',
  '0',
  '..',
  '%2e%2e%2f',
  "' or '1'='1",
  '\0',
  '🪐',
  'x'.repeat(65),
  'x'.repeat(900),
]

/** Pages are the same for every id: they ask for what they show. */
const withIds = everyRoute.filter(({ route }) => placeholders(route).length > 0 && route.response.kind !== 'page')
/** Entries of the audit log are nobody's: who may read it may read all of them. Pictures of modules are everybody's. */
const ofNobody = ({ path, permissions = [] }: Route): boolean =>
  permissions.includes('audit.read') || path.startsWith('/api/modules/')

describe.each(databases)('ids on $name', (database) => {
  let stage: SecurityStage
  let own: Ids
  beforeAll(async () => {
    stage = await openSecurityStage(database)
    own = await belongings(stage.app, 'ben')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function expectNoChange(requests: () => Promise<void>): Promise<void> {
    const before = await contentOf(stage)
    await requests()
    expect(await contentOf(stage)).toEqual(before)
  }

  test('of somebody else in a path answer exactly like ids that never were', async () => {
    await expectNoChange(async () => {
      for (const { name, route } of withIds.filter(
        (each) => each.route.access === 'session' && !ofNobody(each.route),
      )) {
        const [mine, theirs] = [idsFor(route, own), idsFor(route, stage.ids)]
        for (const place of placeholders(route)) {
          const foreign = await ask(stage.ben, route, { ids: { ...mine, [place]: theirs[place]! } })
          expect([name, place, ...refusal(foreign)]).toEqual([name, place, 404, 'not_found'])
          for (const id of NONSENSE.slice(0, 2)) {
            const unknown = await ask(stage.ben, route, { ids: { ...mine, [place]: id } })
            expect([name, place, id, plain(unknown, id)]).toEqual([name, place, id, plain(foreign, theirs[place]!)])
          }
        }
        const all = await ask(stage.ben, route, { ids: theirs })
        expect([name, ...refusal(all)]).toEqual([name, 404, 'not_found'])
      }
    })
  })

  test('that cannot be are not found, for administrators too', async () => {
    await expectNoChange(async () => {
      for (const { name, route } of withIds) {
        const [client, all] = route.access === 'admin' || ofNobody(route) ? [stage.admin, stage.ids] : [stage.ben, own]
        const ids = idsFor(route, all)
        for (const place of placeholders(route)) {
          for (const id of NONSENSE) {
            const answer = await ask(client, route, { ids: { ...ids, [place]: id } })
            expect([name, place, id, answer.status]).toEqual([name, place, id, answer.status === 405 ? 405 : 404])
          }
        }
      }
    })
  })

  test('of somebody else in a body or query answer exactly like ids that never were', async () => {
    const seen: string[] = []
    await expectNoChange(async () => {
      for (const { name, route } of everyRoute.filter((each) => each.route.access === 'session')) {
        const [mine, theirs] = [idsFor(route, own), idsFor(route, stage.ids)]
        for (const field of idFields(route.body?.kind === 'json' ? route.body.schema : undefined)) {
          seen.push(`${name} ${field}`)
          const ask1 = (id: string) =>
            ask(stage.ben, route, { ids: { ...mine, [idName(field)]: id }, body: bodyWith(route, field, id) })
          const foreign = await ask1(theirs[idName(field)]!)
          expect([name, field, plain(foreign, theirs[idName(field)]!)]).toEqual([
            name,
            field,
            plain(await ask1('nowhere'), 'nothing'),
          ])
          if (foreign.status !== 404)
            expect([name, foreign.text]).toEqual([name, expect.stringContaining('"cancelled_count":0')])
        }
        for (const field of idFields(route.query)) {
          const real = stage.ids[idName(field)]
          if (real === undefined) continue
          seen.push(`${name} ?${field}`)
          // Modules are nobody's: there is one of the stage, and none of his.
          const ids = { ...stage.ids, ...mine }
          const ask1 = (id: string) => ask(stage.ben, route, { ids, query: `?${field}=${id}` })
          expect([name, field, plain(await ask1(real), real)]).toEqual([
            name,
            field,
            plain(await ask1('nowhere'), 'nowhere'),
          ])
        }
      }
    })
    expect(seen).toEqual(
      expect.arrayContaining([
        'chat.send attachment_ids',
        'chat.send conversation_id',
        'chat.assignFolder folder_id',
        'commands.create folder_id',
        'commands.assignFolder folder_id',
        'chat.listConversations ?folder_id',
      ]),
    )
  })

  test('of other people stand in no list', async () => {
    const foreign = Object.entries(stage.ids).filter(([name]) => name !== 'role_id')
    for (const { name, route } of everyRoute) {
      if (route.method !== 'GET' || route.access !== 'session' || route.response.kind !== 'json') continue
      const { text } = await ask(stage.ben, route, { ids: own })
      for (const [kind, id] of foreign) expect([name, kind, text.includes(id)]).toEqual([name, kind, false])
    }
  })

  test('of events: nobody resumes another’s stream', async () => {
    const theirs = await stage.ann.call(contract.chat.activity)
    const mine = await stage.ben.call(contract.chat.activity)
    expect(mine.events.map(({ id }) => id)).not.toEqual(expect.arrayContaining(theirs.events.map(({ id }) => id)))
    for (const after of [undefined, 0, theirs.cursor]) {
      const stop = new AbortController()
      const response = await stage.ben.call(contract.chat.activityStream, { query: { after }, signal: stop.signal })
      for await (const event of readEvents(response)) {
        const text = JSON.stringify(event)
        for (const [kind, id] of Object.entries(stage.ids)) expect([kind, text.includes(id)]).toEqual([kind, false])
        if (event.id === mine.cursor) break
      }
      stop.abort()
    }
  })
})

/** Status and text, with the id taken out. */
function plain({ status, text }: Answer, id: string): [number, string] {
  return [status, text.replaceAll(id, '<id>')]
}

function idFields(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return []
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as { properties?: object }
  // Roles are nobody's.
  return Object.keys(properties).filter((name) => (/_ids?$/.test(name) && name !== 'role_id') || name === 'before')
}

/** The kind of id that a field takes. */
function idName(field: string): string {
  if (field === 'attachment_ids') return 'file_id'
  return field === 'before' ? 'message_id' : field
}

/** By path: what a body needs beside ids. */
const REST: Readonly<Record<string, object>> = {
  [contract.chat.send.path]: { message: '/', conversation_id: null },
  [contract.chat.retry.path]: { conversation_id: 'cnv_none', message_id: 'msg_none' },
  [contract.chat.queueMessage.path]: { message: 'a' },
  [contract.commands.create.path]: { name: 'a', prompt: 'b' },
}

/** Only this field and what the route needs besides. */
function bodyWith(route: Route, field: string, id: string): string {
  const rest = REST[route.path] ?? {}
  return JSON.stringify({ ...rest, [field]: field.endsWith('_ids') ? [id] : id })
}
