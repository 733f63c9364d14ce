import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { decide, openStage, say, type Member, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { install, makeBundle } from './stage/modules/module-bundles.ts'
import { databases } from './stage/servers/postgres.ts'

const { modules } = contract
const params = { module_name: 'plain' }
const ALLOW = { subject: 'tool:plain.*', effect: 'allow' } as const
const ASK = { subject: 'tool:plain.wipe', effect: 'ask' } as const

describe.each(databases)('rules about a module that goes, on $name', (database) => {
  let stage: Stage
  let admin: TestClient
  let member: Member
  let backup: string
  let first: Buffer
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    admin = await stage.as('admin')
    first = await makeBundle()
    await install(admin, first)
    await admin.call(modules.enable, { params, body: {} })
    member = await stage.member('mia', [ALLOW, ASK])
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const rulesOf = async (role_id: string) =>
    (await admin.call(contract.accounts.listRoles)).items
      .find((role) => role.role_id === role_id)!
      .rules.filter(({ subject }) => subject.startsWith('tool:plain.'))
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'done',
      (error: unknown) => (error as { code: string }).code,
    )

  test('the review lists every rule that will apply, whenever it was made', async () => {
    const { module } = await admin.call(modules.module, { params })
    expect(module.rules).toMatchObject([
      { role_id: member.role_id, role: 'role of mia', ...ALLOW },
      { role_id: member.role_id, ...ASK },
    ])
    expect(module.kept_rules).toBeNull()
  })

  test('what allows ends with the module, what people approved too; another author’s bundle of the name asks', async () => {
    const other = { client: admin }
    const { approvals, conversation_id } = await say(other.client, '/plain.echo {}')
    await decide(other.client, approvals[0]!.approval_id, 'approve_for_conversation')
    expect((await say(other.client, '/plain.echo {}', { conversation_id })).approvals).toEqual([])
    expect((await say(member.client, '/plain.echo {}')).approvals).toEqual([])

    const [before] = (await admin.call(contract.accounts.listRoles)).items.filter((r) => r.role_id === member.role_id)
    const gone = await admin.call(modules.uninstall, { params, body: {} })
    backup = gone.backup ?? ''
    expect(gone.removed).toContain('rules that allow its tools')
    expect(await rulesOf(member.role_id)).toEqual([ASK])
    const { db } = stage.app
    expect(await db.read.selectFrom('approval_grant').selectAll().where('module', '=', 'plain').execute()).toEqual([])
    // Whoever has the role open in the page is told.
    const [after] = (await admin.call(contract.accounts.listRoles)).items.filter((r) => r.role_id === member.role_id)
    expect(after!.revision).toBeGreaterThan(before!.revision)

    const stranger = await makeBundle({
      env: { TOOLS: '["echo","wipe"]' },
      manifest: { author: { name: 'Strangers' } },
    })
    const { module } = await install(admin, stranger)
    expect(module.rules).toMatchObject([ASK])
    expect(module.kept_rules).toBeNull()
    await admin.call(modules.enable, { params, body: {} })
    expect((await say(member.client, '/plain.echo {}')).approvals).toMatchObject([{ module: 'plain', tool: 'echo' }])
    expect(await refusal(admin.call(modules.restoreRules, { params, body: { backup } }))).toBe('module_changed')
    await admin.call(modules.uninstall, { params, body: {} })
  })

  test('the same bundle is offered its rules back, by a person, to the roles that are still there', async () => {
    await install(admin, first)
    // The backup of the stranger’s bundle is newer: what is offered is this one’s.
    expect((await admin.call(modules.module, { params })).module.kept_rules).toMatchObject({ backup })
    const again = await stage.member('ida', [ALLOW])
    await stage.setRules(member, [ALLOW, ASK])
    const { backup: newest } = await admin.call(modules.uninstall, { params, body: {} })
    await install(admin, first)
    const { kept_rules } = (await admin.call(modules.module, { params })).module
    expect(kept_rules).toMatchObject({
      backup: newest,
      rules: [
        { role: 'role of ida', ...ALLOW },
        { role: 'role of mia', ...ALLOW },
      ],
    })
    const spare = await stage.member('spare')
    const { role_id } = spare
    await admin.call(contract.accounts.updateUser, { params: { user_id: again.user_id }, body: { role_id } })
    await admin.call(contract.accounts.deleteRole, { params: { role_id: again.role_id } })

    const script = stage.anonymous()
    script.bearer = (await admin.call(contract.accounts.createToken, { body: { name: 'script' } })).token
    const restore = { params, body: { backup: newest! } }
    expect(await refusal(script.call(modules.restoreRules, restore))).toBe('forbidden')
    const { module } = await admin.call(modules.restoreRules, restore)
    expect(module.rules).toMatchObject([{ role: 'role of mia', ...ALLOW }, ASK])
    expect(module.history[0]).toMatchObject({ action: 'module.rules_restored' })
    expect(await rulesOf(member.role_id)).toEqual([ALLOW, ASK])
  })

  test('a built-in that goes takes its allowing rules along as well, and is offered them when it is back', async () => {
    const http = { params: { module_name: 'http' } }
    const allow = { subject: 'tool:http.fetch', effect: 'allow' } as const
    const { role_id } = await stage.member('nia', [allow])
    await admin.call(modules.uninstallBuiltin, http)
    const rules = async () =>
      (await admin.call(contract.accounts.listRoles)).items.find((r) => r.role_id === role_id)!.rules
    expect(await rules()).not.toContainEqual(allow)
    const { module } = await admin.call(modules.restoreBuiltin, http)
    expect(await rules()).not.toContainEqual(allow)
    expect(module.kept_rules?.rules).toMatchObject([{ role_id, ...allow }])
    await admin.call(modules.restoreRules, { ...http, body: { backup: module.kept_rules!.backup } })
    expect(await rules()).toContainEqual(allow)
  })
})
