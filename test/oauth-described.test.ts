import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { oauthAddresses } from '../contract/oauth-addresses.ts'
import type { Caller } from '../contract/route.ts'
import { openAudit } from '../server/accounts/audit/audit.ts'
import { oauthRoutes } from '../server/accounts/oauth/oauth-routes.ts'
import { openLog } from '../server/kernel/log.ts'
import { type GuardedFetch, openGuardedFetch } from '../server/kernel/network/guarded-fetch.ts'
import { openVault } from '../server/kernel/vault.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { type HttpsPlace, openHttpsPlace } from './stage/gateway/https-place.ts'
import { codeRequest, REDIRECT } from './stage/gateway/oauth-client.ts'
import { databases } from './stage/servers/postgres.ts'

const SYSTEM = ['tool:system.*']

describe.each(databases)('an MCP client that describes itself, on $name', (database) => {
  let place: HttpsPlace
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    place = await openHttpsPlace()
    stage = await openStage(database, { engine: false, env: place.env })
    admin = await stage.as('admin')
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  /** The routes with a way of their own to what clients say of themselves. */
  const routesWith = (fetch: GuardedFetch['fetch']) =>
    oauthRoutes({
      db: stage.app.db,
      vault: openVault(randomBytes(32)),
      audit: openAudit(stage.app.db, Date.now),
      log: openLog('silent'),
      addresses: oauthAddresses(stage.url),
      fetch,
    })

  test('a client that describes itself needs an allowed host, and no private address', async () => {
    const { client: person } = await stage.member('described')
    const client_id = 'https://127.0.0.1/client.json'
    const { query } = codeRequest(stage.url, client_id)
    const read = () => person.call(contract.oauth.readOauthRequest, { body: { query } })
    await expect(read()).rejects.toThrow(/not allowed/)
    await admin.call(contract.oauth.saveOauthHosts, { body: { hosts: ['127.0.0.1'] } })
    await expect(read()).rejects.toThrow(/fetch failed/)
    await using guarded = openGuardedFetch({ allowPrivate: false })
    const why: unknown[] = []
    const routes = routesWith((...asked) =>
      guarded.fetch(...asked).catch((error: unknown) => {
        why.push((error as { code?: string }).code)
        throw error
      }),
    )
    await expect(routes.readOauthRequest({ body: { query } } as never)).rejects.toThrow(/fetch failed/)
    expect(new Set(why)).toEqual(new Set(['forbidden_address']))
    await admin.call(contract.oauth.saveOauthHosts, { body: { hosts: [] } })
  })

  test('a client that describes itself is shown with its host, and its access ends with that', async () => {
    const { client: person } = await stage.member('claude')
    const client_id = 'https://agent.example.test/client.json'
    const asked: string[] = []
    const routes = routesWith((url) => {
      asked.push(url as string)
      return Promise.resolve(Response.json({ client_id, client_name: 'Agent\u202e', redirect_uris: [REDIRECT] }))
    })
    await admin.call(contract.oauth.saveOauthHosts, { body: { hosts: ['agent.example.test'] } })
    const { user } = await person.call(contract.accounts.session)
    const caller = { user_id: user.id, username: user.username } as Caller
    const { query } = codeRequest(stage.url, client_id)
    const read = await routes.readOauthRequest({ caller, body: { query } } as never)
    expect(read.client).toMatchObject({
      name: 'Agent\\u{202e}',
      host: 'agent.example.test',
      redirect_host: '127.0.0.1:33418',
      local: true,
    })
    expect(asked).toEqual([client_id])
    await routes.decideOauthRequest({ caller, body: { query, permissions: SYSTEM } } as never)
    const { items } = await person.call(contract.accounts.listTokens)
    expect(items).toMatchObject([{ client_id, permissions: ['codex.use', ...SYSTEM] }])
    await admin.call(contract.oauth.saveOauthHosts, { body: { hosts: [] } })
    expect((await person.call(contract.accounts.listTokens)).items).toEqual([])
  })
})
