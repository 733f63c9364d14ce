import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TestClient } from './stage/client.ts'
import { lastAnswer, openStage, say, type Stage } from './stage/chat-stage.ts'
import { Site, to } from './stage/servers/http-site.ts'
import { databases } from './stage/servers/postgres.ts'

describe('settings of built-in modules, through the front door', () => {
  let stage: Stage
  let site: Site
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(databases[0]!, { engine: false })
    site = await new Site({ '/': to('text/plain', 'inside') }).listen()
    admin = await stage.as('admin')
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    site.close()
  })
  const save = (module_name: string, values: Record<string, string | number | boolean | string[]>) =>
    admin.call(contract.modules.saveSettings, { params: { module_name }, body: { values } })
  /** What a call in direct mode says. */
  async function run(message: string): Promise<string> {
    const result = await say(admin, message)
    return JSON.stringify((await lastAnswer(admin, result.conversation_id)).parts)
  }

  test('http: nothing private until the setting says so; a header is write-only and reaches its host', async () => {
    expect(await run(`/http.fetch {"url": "${site.url}/"}`)).toContain('No host is allowed yet')
    await save('http', { allowed_hosts: ['*'] })
    expect(await run(`/http.fetch {"url": "${site.url}/"}`)).toContain('private network')
    await save('http', {
      allow_private: true,
      allowed_hosts: ['127.0.0.1'],
      headers: `http://${site.host}: X-Key: canary-5821-key`,
    })
    expect(await run(`/http.fetch {"url": "${site.url}/"}`)).toContain('inside')
    expect(site.seen.at(-1)?.headers['x-key']).toBe('canary-5821-key')
    const { settings } = await admin.call(contract.modules.settings, { params: { module_name: 'http' } })
    expect(settings.values['headers']).toMatchObject({ configured: true })
    expect(settings.fields.map(({ key }) => key)).toEqual([
      'allowed_hosts',
      'blocked_hosts',
      'allow_private',
      'headers',
      'timeout_s',
      'max_bytes',
      'user_agent',
    ])
    expect(JSON.stringify(settings)).not.toContain('canary')
    await expect(save('http', { allowed_hosts: ['not a host'] })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(save('http', { timeout_s: 0 })).rejects.toMatchObject({ code: 'invalid_request' })
  })
  test('sql: a database is there as soon as it is set; the tool that changes it appears with its setting', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'reeve-settings-'))
    const file = join(folder.path, 'shop.db')
    using db = new DatabaseSync(file)
    db.exec("create table t (x); insert into t values ('found it')")
    expect(await run('/sql.databases')).toContain('No database is set up')
    await save('sql', { connections: [`shop=sqlite:${file}`, `own=sqlite:${join(stage.dataFolder, 'reeve.db')}`] })
    const read = () => run('/sql.query {"database": "shop", "sql": "select x from t"}')
    expect(await read()).toContain('found it')
    expect(await run('/sql.query {"database": "own", "sql": "select 1"}')).toContain('own data folder')
    const names = async () =>
      (await admin.call(contract.chat.listTools)).items.filter(({ module }) => module === 'sql').map(({ tool }) => tool)
    expect(await names()).not.toContain('execute')
    await save('sql', { read_only: false })
    expect(await names()).toContain('execute')
    await expect(save('sql', { connections: ['x=ftp://y'] })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
