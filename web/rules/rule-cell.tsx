import { ListFilter, TriangleAlert } from 'lucide-react'
import { classNames } from '../parts/class-names.ts'
import { TONES } from '../parts/feedback/tone.ts'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { EFFECT_LOOK } from './effect-word.tsx'
import { type RuleEntry, ruleAt, type RuleLine, summaryOf } from './rule-lines.ts'
import { valueOf } from './rule-words.ts'
import { detailedRules, EFFECTS, type Effect, type Role, ruleOf } from './tool-rules.ts'

interface RuleCellProps {
  readonly line: RuleLine
  readonly role: Role
  /** Unsaved. */
  readonly changed: boolean
  /** The grid's one tab stop. */
  readonly active: boolean
  readonly menuOpen: boolean
}

/** One role's rule for one line. A rule of its own is coloured, what follows from elsewhere is grey. */
export function RuleCell({ line, role, changed, active, menuOpen }: RuleCellProps) {
  const rule = ruleAt(line)
  const own = rule === null ? null : ruleOf(role.rules, rule.subject)
  const conditional = rule === null ? 0 : detailedRules(role.rules, rule.subject)
  const stale = rule !== null && (role.stale ?? []).some((at) => role.rules[at]?.subject === rule.subject)
  const said = [valueOf(line, role), ...(stale ? [t('rules.stale')] : [])].join(', ')
  const label = `${t('modules.rule_label', { tool: rule?.name ?? line.group.title, role: role.name })}: ${said}`
  return (
    <div
      role="gridcell"
      data-column={role.role_id}
      tabIndex={active ? 0 : -1}
      {...(rule === null ? { 'aria-readonly': true } : { 'aria-haspopup': 'menu', 'aria-expanded': menuOpen })}
      className={classNames(
        'group/cell relative flex min-w-0 scroll-mt-28 scroll-ml-48 items-center px-1 focus-visible:-outline-offset-2 md:scroll-ml-80',
        rule !== null && 'cursor-pointer',
      )}
    >
      <span className="sr-only">{changed ? `${label} (${t('rules.unsaved')})` : label}</span>
      <span aria-hidden className="flex min-w-0 flex-1 items-center">
        {role.everybody ? (
          own !== null && <Chip effect={own} ruled />
        ) : (
          <>
            {line.kind === 'entry' && <EntryValue entry={line.entry} role={role} own={own} />}
            {line.kind === 'group' && <GroupValue entries={line.group.entries} role={role} own={own} />}
          </>
        )}
        {conditional > 0 && (
          <span
            className={classNames(
              'tabular ms-1 flex shrink-0 items-center gap-0.5 text-xs',
              stale ? classNames('font-medium', TONES.warn.text) : 'text-muted',
            )}
          >
            {stale ? <TriangleAlert className="size-3.5" /> : <ListFilter className="size-3.5" />}
            {formatNumber(conditional)}
          </span>
        )}
      </span>
      {changed && <span aria-hidden className="bg-accent ms-1 size-2 shrink-0 rounded-full" />}
    </div>
  )
}

interface ValueProps {
  readonly role: Role
  readonly own: Effect | null
}

function EntryValue({ entry, role, own }: ValueProps & { readonly entry: RuleEntry }) {
  const result = entry.result(role)
  if (result === null) return null
  const { effect } = result
  return (
    <>
      {own !== null && own !== effect && <s className="text-muted me-1 ps-1 text-xs">{t(`modules.rule_${own}`)}</s>}
      <Chip effect={effect} ruled={own === effect} />
    </>
  )
}

/** The rule for all entries, and how many entries have which effect. */
function GroupValue({ entries, role, own }: ValueProps & { readonly entries: readonly RuleEntry[] | null }) {
  const counts = entries === null ? null : summaryOf(entries, role)
  const uniform = own !== null && counts !== null && counts[own] === entries?.length
  return (
    <>
      {own !== null && <Chip effect={own} ruled tight={!uniform} />}
      {!uniform && counts !== null && (
        <span className="text-muted tabular flex items-center gap-2 truncate px-2 text-sm">
          {EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => {
            const { icon: Icon } = EFFECT_LOOK[effect]
            return (
              <span key={effect} className="flex items-center gap-1">
                <Icon aria-hidden className="size-3.5" />
                {formatNumber(counts[effect])}
              </span>
            )
          })}
        </span>
      )}
    </>
  )
}

/** An effect as sign and word; coloured when a rule says so. */
function Chip({
  effect,
  ruled,
  tight = false,
}: {
  readonly effect: Effect
  readonly ruled: boolean
  /** As wide as its word; otherwise as wide as its cell. */
  readonly tight?: boolean
}) {
  const { tone, icon: Icon } = EFFECT_LOOK[effect]
  const look = TONES[tone]
  return (
    <span
      className={classNames(
        'flex h-7 min-w-0 items-center gap-1.5 rounded-md border px-2 text-sm',
        tight ? 'shrink-0' : 'flex-1',
        ruled
          ? classNames('font-medium', look.soft, look.text, look.edge)
          : 'text-muted border-transparent group-hover/cell:bg-hover',
      )}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" strokeWidth={ruled ? 2.25 : 1.75} />
      <span className="truncate">{t(`modules.rule_${effect}`)}</span>
    </span>
  )
}
