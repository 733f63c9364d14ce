import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { Rule } from '../same-rule.ts'
import type { Role } from '../tool-rules.ts'
import { joined } from './condition-words.ts'

/** What a rule says besides its conditions: who decides, and how far earlier approvals and untrusted reading matter. */
export function saidBesides({ approvers, every_time, even_untrusted }: Rule, roles: readonly Role[]): string {
  const nameOf = (id: string): string => roles.find(({ role_id }) => role_id === id)?.name ?? id
  const people = (approvers ?? []).map(({ role_id, count }) =>
    t('deciders.count', { count: formatNumber(count), role: nameOf(role_id) }),
  )
  const sentences = [
    approvers !== undefined &&
      (approvers.length === 0
        ? t('deciders.said_self')
        : t('deciders.said', { people: joined(people, 'conjunction') })),
    every_time === true && t('deciders.said_every_time'),
    even_untrusted === true && t('deciders.said_even_untrusted'),
  ]
  return sentences.filter((sentence) => sentence !== false).join(' ')
}
