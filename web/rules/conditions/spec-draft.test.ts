import { expect, test } from 'vitest'
import type { Rule } from '../same-rule.ts'
import { emptyCondition } from './condition-draft.ts'
import { examplesOf } from './example-of.ts'
import { fromCall } from '../of-call/from-call.ts'
import { leftOut } from './left-out.ts'
import { looseningsOf } from './loosen.ts'
import { EMPTY_SPEC, fromRule, isEditable, toRule } from './spec-draft.ts'
import { argumentsOf, commandOf } from './tool-arguments.ts'

const SUBJECT = 'tool:system.run_command'
const none = () => ({ match: [], no_match: [] })
const RUN = argumentsOf({
  type: 'object',
  required: ['command'],
  properties: {
    command: { type: 'string' },
    args: { type: 'array', items: { type: 'string' } },
    shell: { type: 'boolean', default: false },
    cwd: { type: 'string' },
    deadline_s: { type: 'integer', default: 60 },
    how: { type: 'object', properties: { 'a/b': { type: 'string' } } },
  },
})

test.each<Omit<Rule, 'subject'>>([
  {
    effect: 'allow',
    note: 'Disks',
    when: [
      {
        argv: { program: '/command', args: '/args' },
        tokens: [
          'df',
          { in: ['-h', '-i'] },
          { under: ['/srv'] },
          { min: 1, max: 9 },
          { any: true },
          { operands: true },
        ],
      },
      { at: '/a', is: 3 },
      { at: '/b', is: false },
      { at: '/c', is: null },
      { at: '/d', in: ['x', 'y z'] },
      { at: '/e', min: 1 },
      { at: '/f', min: -1, max: 2.5 },
      { at: '/g', under: ['/srv'] },
      { at: '/h', host: ['*.example.com'] },
      { at: '/i', each: { in: [1, 2] } },
      { at: '/j', absent: true },
      { at: '/k', is: '' },
    ],
    free: ['/cwd'],
    examples: { match: [{ command: 'df' }], no_match: [{ command: 'rm' }] },
  },
  { effect: 'ask', when: [{ at: '/a', is: 'x' }], unless: [[{ at: '/b', is: 'y' }], [{ at: '/c', absent: true }]] },
])('the form shows all of a rule and makes the same again: %#', (spec) => {
  const rule: Rule = { subject: SUBJECT, ...spec }
  expect(toRule(SUBJECT, fromRule(rule), none)).toEqual(rule)
  expect(isEditable(rule)).toBe(true)
})

test('what the form cannot show is left alone', () => {
  expect(isEditable({ subject: SUBJECT, effect: 'ask', when: [{ at: '/a', in: ['x', 3] }] })).toBe(false)
  expect(isEditable({ subject: SUBJECT, effect: 'ask', when: [{ at: '/a', in: ['x', ''] }] })).toBe(false)
  expect(isEditable({ subject: 'tool:system.*', effect: 'ask', when: [{ at: '/a', is: 'x' }] })).toBe(false)
})

test('there is no rule while something is missing', () => {
  const rule = (when: Parameters<typeof emptyCondition>[1]) =>
    toRule(SUBJECT, { ...EMPTY_SPEC, when: [emptyCondition('/a', when)] }, none)
  expect(toRule(SUBJECT, EMPTY_SPEC, none)).toBeNull()
  expect(rule({ kind: 'in' })).toBeNull()
  expect(rule({ type: 'number', text: 'four' })).toBeNull()
  expect(rule({ kind: 'range' })).toBeNull()
  expect(rule({ kind: 'argv', args: '/b' })).toBeNull()
  expect(rule({ kind: 'range', max: '4' })).toMatchObject({ when: [{ at: '/a', max: 4 }] })
})

test('a rule of a call is about exactly this call', () => {
  const args = { command: 'df', args: ['-h'], shell: false, deadline_s: 90, how: { 'a/b': 'x' }, tags: ['p', 'q', 'p'] }
  const rule = toRule(SUBJECT, fromCall(args, RUN), none)
  expect(rule).toEqual({
    subject: SUBJECT,
    effect: 'allow',
    when: [
      { argv: { program: '/command', args: '/args' }, tokens: ['df', '-h'] },
      { at: '/deadline_s', is: 90 },
      { at: '/how/a~1b', is: 'x' },
      { at: '/tags', each: { in: ['p', 'q'] } },
    ],
    examples: { match: [args], no_match: [] },
  })
  // A shell reads it, or the tool splits it: then it is the text, not its words.
  for (const text of [{ command: 'df -h', shell: true }, { command: 'df -h' }])
    expect(toRule(SUBJECT, fromCall(text, RUN), none)?.when?.[0]).toEqual({ at: '/command', is: 'df -h' })
})

test('examples follow from the conditions', () => {
  const rule = (when: Rule['when']): Rule => ({ subject: SUBJECT, effect: 'allow', when })
  const command = { program: '/command', args: '/args' }
  expect(examplesOf(rule([{ argv: command, tokens: ['df', '-h'] }]), RUN)).toEqual({
    match: [{ command: 'df', args: ['-h'] }],
    no_match: [{ command: 'df', args: ['-h', 'other'] }],
  })
  expect(examplesOf(rule([{ argv: command, tokens: ['ls', { operands: true }] }]), RUN).no_match).toEqual([
    { command: 'ls-other', args: ['word'] },
  ])
  expect(examplesOf(rule([{ at: '/how/a~1b', under: ['/srv'] }]), RUN)).toEqual({
    match: [{ command: 'other', how: { 'a/b': '/srv/example' } }],
    no_match: [{ command: 'other', how: { 'a/b': '/other' } }],
  })
  const free: Rule = { subject: SUBJECT, effect: 'allow', free: ['/command'] }
  expect(examplesOf(free, RUN).no_match).toEqual([{ command: 'other', args: ['other'] }])
})

test('an exact value is widened to its folder, its host or a range', () => {
  const widened = (more: Parameters<typeof emptyCondition>[1], folders = true) =>
    looseningsOf(emptyCondition('/a', more), folders).map(({ to, shown }) => `${to} ${shown}`)
  expect(widened({ text: '/var/log/syslog' })).toEqual(['under /var/log'])
  expect(widened({ text: '/var/log/syslog' }, false)).toEqual([])
  expect(widened({ text: 'https://example.com:8443/x' })).toEqual(['host example.com:8443'])
  expect(widened({ type: 'number', text: '50' })).toEqual(['range 0–50'])
  expect(widened({ text: '/etc' })).toEqual([])
  expect(widened({ text: 'plain' })).toEqual([])
})

test('what no condition speaks of is told', () => {
  const when = fromRule({
    subject: SUBJECT,
    effect: 'allow',
    when: [{ argv: { program: '/command', args: '/args' }, tokens: ['df'] }],
  }).when
  expect(commandOf(RUN)).toEqual({ program: '/command', args: '/args' })
  expect(leftOut(RUN, when, ['/how']).map(({ at }) => at)).toEqual(['/cwd', '/deadline_s'])
})
