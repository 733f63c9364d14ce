import { expect, test } from 'vitest'
import type { Host } from '../../hosts/hosts-query.ts'
import type { Role } from '../../rules/tool-rules.ts'
import { machineGroup } from './machine-group.ts'

const host = (name: string, tags: readonly string[] = []): Host =>
  ({ host_id: name === 'local' ? 'local' : `hst_${name}`, name, tags: [...tags] }) as Host
const role = (rules: Role['rules'], more: Partial<Role> = {}): Role => ({
  role_id: 'a',
  name: 'a',
  admin: false,
  builtin: false,
  users: 1,
  revision: 0,
  audit_reads: 'count',
  rules,
  ...more,
})
const fleet = [host('local'), host('Web-1', ['web']), host('db-1')]

/** The effects of a role by subject; null where no rule says anything. */
function effects(of: Role): Record<string, string | null> {
  const { entries } = machineGroup(fleet, [of])!
  return Object.fromEntries(entries!.map((entry) => [entry.subject, entry.result(of)?.effect ?? null]))
}

test('one machine without rules has no lines', () => {
  expect(machineGroup([host('local')], [role([])])).toBeNull()
  expect(machineGroup([host('local')], [role([{ subject: 'host:#web', effect: 'deny' }])])).not.toBeNull()
})

test('without rules, administrators use all machines and others the local one', () => {
  expect(effects(role([]))).toEqual({
    'host:#all': null,
    'host:#web': null,
    'host:local': 'allow',
    'host:web-1': 'deny',
    'host:db-1': 'deny',
  })
  expect(effects(role([], { admin: true }))).toMatchObject({ 'host:web-1': 'allow', 'host:db-1': 'allow' })
})

test('the strictest rule about a machine counts, of its name, its tags and everybody', () => {
  const web = role([
    { subject: 'host:#web', effect: 'allow' },
    { subject: 'host:web-1', effect: 'ask' },
  ])
  expect(effects(web)).toMatchObject({ 'host:#web': 'allow', 'host:web-1': 'ask', 'host:db-1': 'deny' })
  expect(effects({ ...web, common: [{ subject: 'host:#all', effect: 'deny' }] })).toMatchObject({
    'host:local': 'deny',
    'host:web-1': 'deny',
  })
})

test('rules about tools on certain machines, and about machines that are gone, have lines too', () => {
  const rules: Role['rules'] = [
    { subject: 'tool:system.disks@#web', effect: 'allow' },
    { subject: 'host:gone-1', effect: 'allow' },
  ]
  expect(effects(role(rules))).toMatchObject({ 'tool:system.disks@#web': 'allow', 'host:gone-1': 'allow' })
})
