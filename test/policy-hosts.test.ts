import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideOn, mayUseHost } from '../server/accounts/policy/decide-on.ts'
import { decide, type PolicyRole, SEVERITY } from '../server/accounts/policy/permissions.ts'
import type { PolicyTool } from '../server/accounts/policy/policy-tool.ts'
import type { JudgedHost } from '../server/chat/ports/hosts.ts'
import type { Effect } from '../contract/route.ts'

type Rules = PolicyRole['rules']
const RUNS = { numRuns: 2000 }
const TAGS = ['web', 'db']
const NAMES = ['local', 'web-1', 'db-1', 'Both-1']

const effects = fc.constantFrom<Effect>('allow', 'ask', 'deny')
const places = fc.constantFrom(...NAMES, ...TAGS.map((tag) => `#${tag}`), '#all', 'WEB-1')
const subjects = fc.oneof(
  fc.constantFrom('tool:system.disks', 'tool:system.*', 'tool:system.other'),
  places.map((place) => `host:${place}`),
  places.map((place) => `tool:system.disks@${place}`),
  places.map((place) => `tool:system.*@${place}`),
)
const approvers = fc.option(
  fc.array(fc.record({ role_id: fc.constantFrom('p', 'q'), count: fc.integer({ min: 1, max: 3 }) }), { maxLength: 2 }),
  { nil: undefined },
)
const rules = fc.array(
  fc.tuple(subjects, effects, approvers).map(([subject, effect, who]): Rules[number] => ({
    subject,
    effect,
    ...(effect === 'ask' && who !== undefined && { approvers: who }),
  })),
  { maxLength: 10 },
)
const hosts = fc.uniqueArray(
  fc
    .record({ name: fc.constantFrom(...NAMES), tags: fc.subarray(TAGS) })
    .map((host): JudgedHost => ({ ...host, local: host.name === 'local' })),
  { minLength: 1, selector: ({ name }) => name },
)
const tools = fc.record<PolicyTool>({
  module: fc.constant('system'),
  name: fc.constant('disks'),
  effect: fc.constantFrom('read', 'destructive'),
  builtin: fc.constant(true),
  reach: fc.constant('machine'),
  agreed: fc.constant(true),
})
const role = (list: Rules, admin: boolean): PolicyRole => ({
  role_id: 'rol_1',
  name: 'ops',
  admin,
  administrators: 'rol_admin',
  rules: list,
  audit_reads: 'count',
})
const asked = (tool: PolicyTool) => ({ kind: 'tool' as const, tool, argumentsLength: 0, args: {} })

/** Whether a subject is about a machine, said without the code of the engine. */
function isAbout(place: string, { name, tags }: JudgedHost): boolean {
  return place === '#all' || place.toLowerCase() === name.toLowerCase() || tags.some((tag) => place === `#${tag}`)
}

test('on each machine exactly the rules count that are about it, in any order', () => {
  fc.assert(
    fc.property(rules, hosts, tools, fc.boolean(), ([...list], [host], tool, admin) => {
      const judged = decideOn(role(list, admin), null, asked(tool), [host!])
      const about = list.filter(({ subject }) => {
        const place = subject.startsWith('host:') ? subject.slice(5) : subject.split('@')[1]
        return place === undefined || isAbout(place, host!)
      })
      const same = decideOn(role(about.toReversed(), admin), null, asked(tool), [host!])
      expect(same.effect).toBe(judged.effect)
      expect(same.needs).toEqual(judged.needs)
    }),
    RUNS,
  )
})

test('the strictest verdict of any machine counts, and everybody must agree who must on one', () => {
  fc.assert(
    fc.property(rules, hosts, tools, fc.boolean(), (list, several, tool, admin) => {
      const of = role(list, admin)
      const all = decideOn(of, null, asked(tool), several)
      const each = several.map((host) => decideOn(of, null, asked(tool), [host]))
      expect(SEVERITY[all.effect]).toBe(Math.max(...each.map(({ effect }) => SEVERITY[effect])))
      for (const { needs } of each)
        for (const { role_id, count } of needs)
          expect(all.needs.find((need) => need.role_id === role_id)?.count).toBeGreaterThanOrEqual(count)
      if (all.effect === 'deny' && each.some(({ effect }) => effect !== 'deny'))
        expect(all.reason.toString()).toMatch(/^On “/)
    }),
    RUNS,
  )
})

test('without a rule about a machine only the local one, but for administrators; and it frees no tool', () => {
  fc.assert(
    fc.property(rules, hosts, tools, (list, [host], tool) => {
      const freed = list.some(({ subject, effect }) => {
        return subject.startsWith('host:') && effect !== 'deny' && isAbout(subject.slice(5), host!)
      })
      const of = role(list, false)
      const { effect } = decideOn(of, null, asked(tool), [host!])
      if (!host!.local && !freed) expect(effect).toBe('deny')
      if (!host!.local && !freed) expect(mayUseHost(of, host!)).toBe(false)
      if (!mayUseHost(of, host!)) expect(effect).toBe('deny')
      const onlyHosts = list.filter(({ subject }) => subject.startsWith('host:'))
      const free = decideOn(role(onlyHosts, false), null, asked(tool), [host!])
      expect(free.effect).toBe('deny')
    }),
    RUNS,
  )
})

test('where no rule is about a machine, verdict and basis on this one are as they always were', () => {
  fc.assert(
    fc.property(rules, tools, fc.boolean(), (list, tool, admin) => {
      const plain = list.filter(({ subject }) => !subject.startsWith('host:') && !subject.includes('@'))
      const local: JudgedHost = { name: 'local', tags: ['web'], local: true }
      const before = decide(role(plain, admin), null, asked(tool))
      const now = decideOn(role(plain, admin), null, asked(tool), [local])
      expect([now.effect, now.basis, now.needs]).toEqual([before.effect, before.basis, before.needs])
    }),
    RUNS,
  )
})
