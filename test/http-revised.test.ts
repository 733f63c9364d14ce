import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const LIST = '/api/chat/conversations'
const HISTORY = '/api/chat/history'

/** Asks again with the ETag of the last answer: 304 means that nothing has changed. */
async function look(client: TestClient, path: string, etag?: string) {
  const response = await client.fetch(path, etag === undefined ? {} : { headers: { 'if-none-match': etag } })
  return { status: response.status, etag: response.headers.get('etag')!, response, text: await response.text() }
}

describe.each(databases)('lists and histories that a client has already, on $name', (database) => {
  let app: TestApp
  beforeAll(async () => {
    // As in production, where the handler does not run for an answer that the client has; in all other tests it does,
    // and an answer that changes under its ETag fails them.
    app = await startTestApp({ database, env: { NODE_ENV: 'production' } })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test('are answered with 304 and nothing else, until something changes', async () => {
    const [ann, admin] = [await app.as('ann'), await app.as('admin')]
    const { user } = await ann.call(contract.accounts.session)
    const { chat } = contract
    const { conversation_id } = await ann.call(chat.reset, {})
    const own = { params: { conversation_id } }
    const { folder } = await ann.call(chat.createFolder, { body: { name: 'Ships' } })
    const changes: [string, () => Promise<unknown>][] = [
      ['a new title', () => ann.call(chat.updateConversation, { ...own, body: { title: 'Harbour' } })],
      ['a folder', () => ann.call(chat.assignFolder, { ...own, body: { folder_id: folder.folder_id } })],
      [
        'a folder’s name',
        () => ann.call(chat.updateFolder, { params: { folder_id: folder.folder_id }, body: { name: 'Boats' } }),
      ],
      ['a message', () => ann.call(chat.send, { body: { message: 'hello' } })],
      ['a call', () => ann.call(chat.send, { body: { message: '/system.host {}' } })],
      ['another conversation', () => ann.call(chat.reset, {})],
      ['the first one opened', () => ann.call(chat.openConversation, own)],
      ['a language', () => ann.call(contract.accounts.updatePreferences, { body: { language: 'de' } })],
      [
        'a name',
        () =>
          admin.call(contract.accounts.updateUser, { params: { user_id: user.id }, body: { display_name: 'Ann Lee' } }),
      ],
      ['the bin', () => ann.call(chat.deleteConversation, own)],
      ['out of the bin', () => ann.call(chat.restoreConversation, own)],
      ['the bin again', () => ann.call(chat.deleteConversation, own)],
      ['nothing left of it', () => ann.call(chat.purgeConversation, own)],
    ]
    const seen = new Set<string>()
    for (const [what, change] of changes) {
      for (const path of [LIST, HISTORY]) {
        const first = await look(ann, path)
        expect({ what, status: first.status }).toEqual({ what, status: 200 })
        const again = await look(ann, path, first.etag)
        expect({ what, status: again.status, etag: again.etag, text: again.text }).toEqual({
          what,
          status: 304,
          etag: first.etag,
          text: '',
        })
        expect(again.response.headers.get('cache-control')).toBe('private, no-store')
        seen.add(first.etag)
      }
      const { etag } = await look(ann, LIST)
      await change()
      expect({ what, status: (await look(ann, LIST, etag)).status }).toEqual({ what, status: 200 })
    }
    expect(seen.size).toBe(changes.length)
  })

  test('belong to one session: another one’s ETag never fits', async () => {
    const [bob, eve] = [await app.as('bob'), await app.as('eve')]
    const { etag } = await look(bob, HISTORY)
    expect((await look(eve, HISTORY, etag)).status).toBe(200)
    const again = await app.signIn('bob')
    expect((await look(again, HISTORY, etag)).status).toBe(200)
    expect((await look(bob, HISTORY, etag)).status).toBe(304)
  })

  test('any form of If-None-Match is understood, and nobody learns anything without signing in', async () => {
    const client = await app.as('formal')
    const { etag } = await look(client, LIST)
    const bare = etag.replace('W/', '')
    for (const header of [bare, `"other", ${etag}`, `${bare},"x"`, '*', ` ${etag} `])
      expect([header, (await look(client, LIST, header)).status]).toEqual([header, 304])
    for (const header of ['', '"', 'W/', `${etag}x`, etag.slice(0, -2), 'x'.repeat(5000)])
      expect([header, (await look(client, LIST, header)).status]).toEqual([header, 200])
    const stranger = await app.anonymous().fetch(LIST, { headers: { 'if-none-match': '*' } })
    expect(stranger.status).toBe(401)
    expect(stranger.headers.get('etag')).toBeNull()
  })
})
