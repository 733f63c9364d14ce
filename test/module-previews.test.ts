import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { modules } = contract
const params = { module_name: 'plain' }
const NOTHING = { network: 'none' as const, folders: [], commands: [] }

describe.each(databases)('previews of a bundle, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let member: Member
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    member = await stage.member('mia')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const bundle = (version: string, capabilities?: object) =>
    makeBundle({
      version,
      env: { TOOLS: '["wipe","look"]', PREVIEW: 'look' },
      ...(capabilities === undefined ? {} : { meta: { capabilities } }),
    })
  const preview = async () => (await say(member.client, '/plain.wipe {}')).approvals[0]!.preview
  const offered = async () =>
    (await member.client.call(contract.chat.listTools)).items
      .filter(({ module }) => module === 'plain')
      .map(({ tool }) => tool)

  test('count only with the consent of an administrator, which an upgrade needs anew', async () => {
    await install(admin, await bundle('1.0.0'))
    await admin.call(modules.enable, { params, body: {} })
    expect(await preview()).toBeUndefined()
    expect(await offered()).toEqual(['look', 'wipe'])

    const { module } = await install(admin, await bundle('1.1.0', { helpers: true }))
    expect(module).toMatchObject({ state: 'needs_review', review: { capabilities: { helpers: true } } })
    await admin.call(modules.enable, { params, body: { grants: NOTHING } })
    expect(await preview()).toBeUndefined()

    await admin.call(modules.enable, { params, body: {} })
    expect(await preview()).toEqual({
      problem: null,
      parts: [{ kind: 'plan', title: '', text: 'one\ntwo', more_lines: 0 }],
    })
    expect(await offered()).toEqual(['wipe'])
  })
})
