import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { contract } from '../contract/index.ts'
import type { Rule } from '../contract/rules.ts'
import { type Member, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { GRIND, millModule, WHEAT } from './stage/modules/mill-module.ts'
import { databases } from './stage/servers/postgres.ts'

type Rules = z.input<typeof Rule>[]
const { accounts } = contract

describe.each(databases)('saving rules with conditions on $name', (database) => {
  const { module } = millModule()
  let stage: Stage
  let admin: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, builtins: [module] })
    admin = await stage.as('admin')
    await admin.call(contract.chat.listTools)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const save = (role_id: string, rules: Rules) =>
    admin.call(accounts.updateRole, { params: { role_id }, body: { rules } })
  const grind = (member: Pick<Member, 'client'>, args: object, more = {}) =>
    say(member.client, `/mill.grind ${JSON.stringify(args)}`, more)
  const problem = (call: Promise<unknown>) =>
    call.then(
      () => null,
      (error: unknown) => (error as { code: string }).code,
    )

  test.each<[string, Rules, string]>([
    [
      'an example that must match does not',
      [{ ...WHEAT, examples: { ...WHEAT.examples, match: [{ corn: 'rye' }] } }],
      'rule_example_failed',
    ],
    [
      'one that must not match does',
      [{ ...WHEAT, examples: { ...WHEAT.examples, no_match: [{ corn: 'wheat', sacks: 3 }] } }],
      'rule_example_failed',
    ],
    ['no examples', [{ ...WHEAT, examples: undefined }], 'bad_rule'],
    ['a tool that is not there', [{ ...WHEAT, subject: 'tool:ghost.walk' }], 'rule_tool_missing'],
    [
      'a path, of a tool that may follow links',
      [{ ...WHEAT, when: [{ at: '/path', under: ['/srv'] }] }],
      'rule_path_unsafe',
    ],
    ['conditions about a permission', [{ subject: 'files.read', effect: 'ask', when: WHEAT.when }], 'bad_rule'],
    ['who decides, where it denies', [{ subject: GRIND, effect: 'deny', approvers: [] }], 'bad_rule'],
    ['asking every time, where it denies', [{ subject: GRIND, effect: 'deny', every_time: true as const }], 'bad_rule'],
    ['trust where it asks', [{ subject: GRIND, effect: 'ask', even_untrusted: true as const }], 'bad_rule'],
  ])('not saved: %s', async (_what, rules, code) => {
    const member = await stage.member(`not-${Math.random()}`.replace('.', ''), [WHEAT])
    expect(await problem(save(member.role_id, rules))).toBe(code)
    expect(await problem(admin.call(accounts.createRole, { body: { name: 'never', rules } }))).toBe(code)
    const { items } = await admin.call(accounts.listRoles)
    expect(items.find((role) => role.role_id === member.role_id)!.rules).toContainEqual(WHEAT)
  })

  test('more conditions than a role may have together are refused', async () => {
    const big = (i: number) => ({
      subject: GRIND,
      effect: 'deny' as const,
      when: [{ at: '/corn', in: Array.from({ length: 15 }, (_, n) => `${i} ${n} `.padEnd(1000, 'x')) }],
    })
    const member = await stage.member('big')
    expect(
      await problem(
        save(
          member.role_id,
          Array.from({ length: 40 }, (_, i) => big(i)),
        ),
      ),
    ).toBe('bad_rule')
    expect(
      await problem(
        save(
          member.role_id,
          Array.from({ length: 30 }, (_, i) => big(i)),
        ),
      ),
    ).toBeNull()
  })

  test('the same rule twice is one; its audit entry says what it was and is', async () => {
    const member = await stage.member('seven')
    const note = { subject: GRIND, effect: 'ask' as const, note: 'Since the fire' }
    const saved = await save(member.role_id, [WHEAT, WHEAT, note, { subject: GRIND, effect: 'ask' }])
    expect(
      saved.role.rules
        .map((rule) => rule.note ?? rule.when?.length ?? 0)
        .map(String)
        .toSorted(),
    ).toEqual(['0', '1', 'Since the fire'])
    await save(member.role_id, [note])
    expect((await grind(member, { corn: 'rye' })).approvals[0]?.reason).toContain('Since the fire')
    const { items } = await admin.call(accounts.audit, { query: { action: 'role.updated', limit: 1 } })
    expect(items[0]?.details).toMatchObject({
      before: { rules: expect.arrayContaining([WHEAT]) as unknown },
      after: { rules: [note] },
    })
  })
})
