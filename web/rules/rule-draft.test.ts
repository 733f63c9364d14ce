import { expect, test } from 'vitest'
import type { Role } from './tool-rules.ts'
import {
  type ChoiceChange,
  type ConditionChange,
  draftedRules,
  foreignChanges,
  openChanges,
  withChanges,
} from './rule-draft.ts'

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
const change = (subject: string, choice: ChoiceChange['choice'], role_id = 'a'): ChoiceChange => ({
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

const X = 'tool:m.x'
const wheat = { subject: X, effect: 'ask' as const, when: [{ at: '/corn', is: 'wheat' }] }
const rye = { ...wheat, when: [{ at: '/corn', is: 'rye' }] }
const edit = (place: string, was: ConditionChange['was'], rule: ConditionChange['rule']): ConditionChange => ({
  role_id: 'a',
  subject: X,
  place,
  was,
  rule,
})

test('a rule with conditions is made, changed and deleted beside the choices for its cell', () => {
  const roles = [role('a', [wheat, { subject: X, effect: 'deny' }])]
  const rules = (...changes: Parameters<typeof withChanges>[1]) => withChanges(roles, changes)[0]!.rules
  expect(rules(edit('1', wheat, rye))).toEqual([{ subject: X, effect: 'deny' }, rye])
  expect(rules(edit('1', wheat, null), change(X, null))).toEqual([])
  expect(rules(edit('new', null, rye), edit('new', null, null))).toEqual(roles[0]!.rules)
  expect(openChanges(roles, [edit('new', null, rye), edit('new', null, null)])).toEqual([])
  expect(openChanges(roles, [edit('1', wheat, rye), edit('1', wheat, { ...wheat })])).toEqual([])
  // Somebody else has deleted it meanwhile: there is nothing left to delete.
  expect(openChanges([role('a', [])], [edit('1', wheat, null)])).toEqual([])
  const open = openChanges(roles, [edit('1', wheat, null), edit('new', null, rye)])
  expect(draftedRules(roles[0]!, X, open).map(({ was, rule }) => [was, rule])).toEqual([
    [wheat, null],
    [null, rye],
  ])
})

test('conditions that others have changed are told, too', () => {
  const now = [{ ...role('a', [rye]), revision: 1 }]
  expect(foreignChanges([role('a', [wheat])], now).map(({ subject }) => subject)).toEqual([X])
})
