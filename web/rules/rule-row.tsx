import { useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { type CSSProperties, memo } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { classNames } from '../parts/class-names.ts'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { moduleQuery } from '../modules/list/module-queries.ts'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { RuleCell } from './rule-cell.tsx'
import type { RuleChange } from './rule-draft.ts'
import { ruleAt, type RuleLine } from './rule-lines.ts'
import type { Role } from './tool-rules.ts'

/** The column of names, as `data-column`; the others are those of roles. */
export const NAMES = 'name'

interface RuleRowProps {
  readonly line: RuleLine
  /** From 1, the head included. */
  readonly rowIndex: number
  readonly roles: readonly Role[]
  readonly changes: readonly RuleChange[]
  /** Column of the active cell if it is in this row, else null. */
  readonly active: string | null
  readonly menu: string | null
  /** Groups can be folded. */
  readonly folds: boolean
  readonly narrow: boolean
  readonly style: CSSProperties
}

/** One line of the grid: a name, and a cell for each role. The grid itself handles its keys and clicks. */
export const RuleRow = memo(function RuleRow(props: RuleRowProps) {
  const { line, rowIndex, roles, changes, active, menu, folds, narrow, style } = props
  const group = line.kind === 'group'
  const subject = ruleAt(line)?.subject
  return (
    <div
      role="row"
      data-line={line.key}
      aria-rowindex={rowIndex}
      style={style}
      className={classNames(
        'border-line grid border-b transition-none',
        group ? 'bg-sunken' : 'bg-surface hover:bg-hover',
      )}
    >
      <div
        role="rowheader"
        {...(group && folds ? {} : { 'data-column': NAMES, tabIndex: active === NAMES ? 0 : -1 })}
        className={classNames(
          '@container sticky left-0 z-1 flex min-w-0 scroll-mt-28 items-center bg-inherit focus-visible:-outline-offset-2',
          !(group && folds) && 'ps-3 pe-2 sm:ps-4',
        )}
      >
        {line.kind === 'group' && <GroupName line={line} focusable={active === NAMES} folds={folds} />}
        {line.kind === 'entry' && (
          <>
            <span
              className={classNames('min-w-0 flex-1', folds && 'ps-5', narrow ? 'block leading-tight' : 'flex gap-2')}
              title={`${line.entry.title} (${line.entry.code})`}
            >
              <span className={classNames('truncate', narrow ? 'block text-sm' : 'max-w-[70%] shrink-0')}>
                {line.entry.title}
              </span>
              <span className="text-muted block min-w-0 truncate font-mono text-xs leading-[inherit]">
                {line.entry.code}
              </span>
            </span>
            {line.entry.effect !== null && (
              // Where names need the room, the review still says it.
              <span className="hidden ps-2 @md:block">
                <EffectBadge effect={line.entry.effect} />
              </span>
            )}
          </>
        )}
        {line.kind === 'missing' && <Missing line={line} />}
      </div>
      {line.kind !== 'missing' &&
        roles.map((role) => (
          <RuleCell
            key={role.role_id}
            line={line}
            role={role}
            changed={changes.some((change) => change.role_id === role.role_id && change.subject === subject)}
            active={active === role.role_id}
            menuOpen={menu === role.role_id}
          />
        ))}
    </div>
  )
})

function GroupName({
  line,
  focusable,
  folds,
}: {
  readonly line: Extract<RuleLine, { kind: 'group' }>
  readonly focusable: boolean
  readonly folds: boolean
}) {
  const { title, name, count } = line.group
  if (!folds) return <span className="truncate font-semibold">{name}</span>
  return (
    <button
      type="button"
      data-column={NAMES}
      data-fold
      tabIndex={focusable ? 0 : -1}
      aria-expanded={line.open}
      className="hover:bg-hover flex h-full w-full min-w-0 items-center gap-1.5 ps-2 pe-2 text-left focus-visible:-outline-offset-2 sm:ps-3"
    >
      <ChevronRight
        aria-hidden
        className={classNames('text-muted size-4 shrink-0 transition-transform', line.open && 'rotate-90')}
      />
      <span className="truncate font-semibold">{title}</span>
      <span className="text-muted tabular shrink-0 text-sm">{formatNumber(count)}</span>
    </button>
  )
}

/** The tools of a module that are loading, or could not be loaded. */
function Missing({ line }: { readonly line: Extract<RuleLine, { kind: 'missing' }> }) {
  const queryClient = useQueryClient()
  if (!line.group.failed) return <Skeleton className="ms-5 h-4 w-40" />
  return (
    <span className="flex items-center gap-3 ps-5">
      <span className="text-danger truncate text-sm">{t('modules.one_failed')}</span>
      <Button size="sm" onClick={() => void queryClient.refetchQueries(moduleQuery(line.group.id))}>
        {t('action.retry')}
      </Button>
    </span>
  )
}
