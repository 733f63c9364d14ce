import type { Procedure } from '../../../contract/procedure-values.ts'
import type { RuleGroup } from '../../rules/rule-lines.ts'
import { permissionEffect, type Role } from '../../rules/tool-rules.ts'
import { t } from '../../text/i18n.ts'

const PROCEDURE = 'procedure:'

/** Which procedures roles may run: those that have a reviewed version, and those with a rule. Null while there is none. */
export function procedureGroup(procedures: readonly Procedure[], roles: readonly Role[]): RuleGroup | null {
  const ruled = new Set(roles.flatMap(({ rules }) => rules.map(({ subject }) => subject)))
  const known = procedures
    .map(({ procedure_id, name, current_version }) => ({
      subject: PROCEDURE + procedure_id,
      title: name,
      current_version,
    }))
    .filter(({ subject, current_version }) => current_version !== null || ruled.has(subject))
  const named = new Set(known.map(({ subject }) => subject))
  const gone = [...ruled]
    .filter((subject) => subject.startsWith(PROCEDURE) && !named.has(subject))
    .toSorted()
    .map((subject) => ({ subject, title: subject.slice(PROCEDURE.length) }))
  const entries = [...known, ...gone].map(({ subject, title }) => ({
    subject,
    title,
    code: subject,
    effect: null,
    result: (role: Pick<Role, 'rules' | 'admin' | 'common'>) => permissionEffect(role, subject),
  }))
  if (entries.length === 0) return null
  const title = t('nav.procedures')
  return { id: 'procedures', title, subject: null, name: title, count: entries.length, failed: false, entries }
}
