import { expect, test } from 'vitest'
import { previewOf } from './preview-of.ts'
import { linesOf, nameOfSubject, type RuleEntry, type RuleGroup, summaryOf } from './rule-lines.ts'
import { effectOf, type Role, ruleSubject } from './tool-rules.ts'

const mill = { name: 'mill', builtin: false, reach: 'machine' } as const
const entry = (name: string, title: string): RuleEntry => ({
  subject: ruleSubject('mill', name),
  title,
  code: `mill.${name}`,
  effect: 'write',
  result: (role) => effectOf(role, mill, { name, effect: 'write', pin: 'agreed' }),
})
const group: RuleGroup = {
  id: 'mill',
  title: 'Mill',
  subject: ruleSubject('mill', null),
  name: 'All tools of Mill',
  count: 2,
  entries: [entry('grind', 'Grind corn'), entry('sack', 'Fill sacks')],
  failed: false,
}
const loading: RuleGroup = { ...group, id: 'oven', title: 'Oven', entries: null }
const role = (rules: Role['rules'], role_id = 'a'): Role => ({
  role_id,
  name: role_id,
  admin: false,
  builtin: false,
  users: 3,
  revision: 0,
  audit_reads: 'count',
  rules,
})
const keys = (open: readonly string[], filter: string): string[] =>
  linesOf([group, loading], new Set(open), filter).map(({ key }) => key)

test('a folded group is one line, an open one has its entries or says that they are missing', () => {
  expect(keys([], '')).toEqual(['group mill', 'group oven'])
  expect(keys(['mill', 'oven'], '')).toEqual([
    'group mill',
    'tool:mill.grind',
    'tool:mill.sack',
    'group oven',
    'missing oven',
  ])
})

test('a filter opens what matches, by the names of groups and entries, and leaves out the rest', () => {
  expect(keys([], 'SACK mill')).toEqual(['group mill', 'tool:mill.sack', 'group oven', 'missing oven'])
  expect(linesOf([group], new Set(), 'mill')).toHaveLength(3)
  expect(linesOf([group], new Set(), 'bread')).toEqual([])
})

test('a summary counts what applies, whichever rule says so', () => {
  const rules = [
    { subject: 'tool:mill.*', effect: 'ask' },
    { subject: 'tool:mill.sack', effect: 'deny' },
  ] as const
  expect(summaryOf(group.entries!, role([...rules]))).toEqual({ allow: 0, ask: 1, deny: 1 })
})

test('a preview says what is decided differently, by role and effect, and nothing of rules without consequence', () => {
  const saved = [role([{ subject: 'tool:mill.grind', effect: 'deny' }]), role([], 'b')]
  const drafted = [
    role([
      { subject: 'tool:mill.grind', effect: 'allow' },
      { subject: 'tool:mill.sack', effect: 'deny' },
    ]),
    role([{ subject: 'tool:mill.*', effect: 'ask' }], 'b'),
  ]
  const said = previewOf(saved, drafted, [group, loading]).map(({ role: { name }, to, items }) => [
    name,
    to,
    items.map(({ entry: { code }, from }) => `${code} ${from}`),
  ])
  expect(said).toEqual([
    ['a', 'allow', ['mill.grind deny']],
    ['a', 'deny', ['mill.sack ask']],
  ])
})

test('subjects have the names that the grid shows', () => {
  expect(['tool:mill.*', 'tool:mill.sack', 'tool:gone.x'].map((subject) => nameOfSubject([group], subject))).toEqual([
    'All tools of Mill',
    'Fill sacks',
    'tool:gone.x',
  ])
})
