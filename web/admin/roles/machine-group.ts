import { EVERY_HOST } from '../../../contract/host-values.ts'
import { isLocal } from '../../hosts/find-hosts.ts'
import type { Host } from '../../hosts/hosts-query.ts'
import type { RuleEntry, RuleGroup } from '../../rules/rule-lines.ts'
import { type Effect, type Role, ruleOf, type RuleResult, strictest } from '../../rules/tool-rules.ts'
import { t } from '../../text/i18n.ts'

const HOST = 'host:'
type RuledRole = Pick<Role, 'rules' | 'admin' | 'common'>

/**
 * Which machines roles may use: all, those of a tag, and each; then rules for tools on certain machines, which are made
 * through the interface for programs. Null while there is one machine and no such rule.
 */
export function machineGroup(hosts: readonly Host[], roles: readonly Role[]): RuleGroup | null {
  const ruled = [...new Set(roles.flatMap(({ rules }) => rules.map(({ subject }) => subject)))]
  const onHosts = ruled.filter((subject) => subject.startsWith(HOST) || /^tool:.+@/.test(subject)).toSorted()
  if (hosts.length < 2 && onHosts.length === 0) return null
  const tags = [...new Set(hosts.flatMap((host) => host.tags))].toSorted()
  const entries = [
    tagEntry(EVERY_HOST, t('audit.host_any')),
    ...tags.map((tag) => tagEntry(tag, `#${tag}`)),
    ...hosts.map(hostEntry),
  ]
  const known = new Set(entries.map(({ subject }) => subject))
  const rest = onHosts.filter((subject) => !known.has(subject)).map(restEntry)
  const title = t('admin.hosts')
  return {
    id: 'machines',
    title,
    subject: null,
    name: title,
    count: entries.length + rest.length,
    failed: false,
    entries: [...entries, ...rest],
  }
}

function hostEntry(host: Host): RuleEntry {
  const { name, tags } = host
  const local = isLocal(host)
  const subjects = [name, ...tags.map((tag) => `#${tag}`), `#${EVERY_HOST}`].map(subjectOf)
  return {
    subject: subjectOf(name),
    title: local ? t('audit.host_this') : name,
    code: subjectOf(name),
    effect: null,
    unexplained: true,
    result: (role) => {
      const own = ruleOf(role.rules, subjects[0]!)
      const all = strictest(subjects.flatMap((subject) => effectsOf(role.rules, subject)))
      const result: RuleResult =
        all === null
          ? local || role.admin
            ? { effect: 'allow', source: 'default' }
            : { effect: 'deny', source: 'default_admin' }
          : { effect: all, source: own === all ? 'permission_rule' : 'machine_rule' }
      return withEverybody(result, role, subjects)
    },
  }
}

/** Of several machines: only what a rule says of them. Without one, each has its own line. */
function tagEntry(tag: string, title: string): RuleEntry {
  return { ...restEntry(subjectOf(`#${tag}`)), title }
}

function restEntry(subject: string): RuleEntry {
  return {
    subject,
    title: subject.replace(/^(?:host|tool):/, ''),
    code: subject,
    effect: null,
    unexplained: true,
    result: (role) => {
      const own = ruleOf(role.rules, subject)
      return own === null ? null : withEverybody({ effect: own, source: 'permission_rule' }, role, [subject])
    },
  }
}

function withEverybody(result: RuleResult, { common = [] }: RuledRole, subjects: readonly string[]): RuleResult {
  const all = strictest(subjects.flatMap((subject) => effectsOf(common, subject)))
  return all !== null && strictest([all, result.effect]) !== result.effect
    ? { effect: all, source: 'everybody' }
    : result
}

function effectsOf(rules: Role['rules'], subject: string): Effect[] {
  const effect = ruleOf(rules, subject)
  return effect === null ? [] : [effect]
}

/** As the server compares them: in small letters. */
function subjectOf(name: string): string {
  return HOST + name.toLowerCase()
}
