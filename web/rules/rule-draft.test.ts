import { expect, test } from 'vitest'
import type { Role } from './tool-rules.ts'
import { foreignChanges, openChanges, type RuleChange, withChanges } from './rule-draft.ts'

const role = (role_id: string, rules: Role['rules']): Role => ({
  role_id,
  name: role_id,
  admin: false,
  builtin: false,
  users: 0,
  revision: 0,
  audit_reads: 'count',
  rules,
})
const change = (subject: string, choice: RuleChange['choice'], role_id = 'a'): RuleChange => ({
  role_id,
  subject,
  choice,
})

test('changes are laid over what is saved, and survive what others save', () => {
  const changes = [change('tool:m.x', 'deny'), change('files.read', null), change('tool:m.x', 'ask')]
  const before = [role('a', [{ subject: 'files.read', effect: 'deny' }]), role('b', [])]
  expect(withChanges(before, changes).map(({ rules }) => rules)).toEqual([[{ subject: 'tool:m.x', effect: 'ask' }], []])
  const meanwhile = [role('a', [{ subject: 'codex.use', effect: 'deny' }]), role('b', [])]
  expect(withChanges(meanwhile, changes)[0]!.rules).toEqual([
    { subject: 'codex.use', effect: 'deny' },
    { subject: 'tool:m.x', effect: 'ask' },
  ])
})

test('a change that was taken back is none, nor is one of a role that is gone', () => {
  const roles = [role('a', [{ subject: 'files.read', effect: 'ask' }])]
  expect(openChanges(roles, [change('files.read', 'deny'), change('files.read', 'ask')])).toEqual([])
  expect(openChanges(roles, [change('tool:m.x', null)])).toEqual([])
  expect(openChanges(roles, [change('tool:m.x', 'allow', 'gone')])).toEqual([])
  expect(openChanges(roles, [change('files.read', null)])).toEqual([change('files.read', null)])
})

test('what others changed since is told by role and rule, and only what differs', () => {
  const before = [role('a', [{ subject: 'files.read', effect: 'deny' }]), role('b', [])]
  const now = [
    { ...role('a', [{ subject: 'codex.use', effect: 'ask' }]), revision: 1 },
    { ...role('b', []), revision: 1 },
    role('new', [{ subject: 'codex.use', effect: 'deny' }]),
  ]
  expect(foreignChanges(before, now).map(({ role: { name }, subject, from, to }) => [name, subject, from, to])).toEqual(
    [
      ['a', 'files.read', 'deny', null],
      ['a', 'codex.use', null, 'ask'],
    ],
  )
  expect(foreignChanges(now, now)).toEqual([])
})
