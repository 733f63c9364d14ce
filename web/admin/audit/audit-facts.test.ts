import { expect, test } from 'vitest'
import { auditFacts } from './audit-facts.ts'

test('of what changed, only the difference is told', () => {
  const rule = (subject: string) => ({ subject, effect: 'deny' })
  const before = { name: 'ops', rules: [rule('files.read'), rule('tool:a.x')], disabled: false }
  const after = { name: 'ops', rules: [rule('tool:a.x'), rule('codex.use')], disabled: true }
  expect(auditFacts({ username: 'ann', before, after })).toEqual({
    facts: [['username', 'ann']],
    changes: [
      { name: 'rules', before: 'files.read: deny', after: 'codex.use: deny' },
      { name: 'disabled', before: 'false', after: 'true' },
    ],
  })
})

test('what was made or deleted is told whole; nothing is a dash', () => {
  expect(auditFacts({ after: { name: 'ops', rules: [] }, address: '' })).toEqual({
    facts: [
      ['address', '–'],
      ['after', '{"name":"ops","rules":[]}'],
    ],
    changes: [],
  })
  const same = { rules: [] }
  expect(auditFacts({ before: same, after: same }).changes).toEqual([])
})
