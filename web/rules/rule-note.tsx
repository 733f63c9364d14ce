import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { ruleAt, type RuleLine } from './rule-lines.ts'
import { valueOf } from './rule-words.ts'
import type { Role } from './tool-rules.ts'
import type { CellPlace } from './use-rule-cells.ts'

interface RuleNoteProps {
  /** The cell that is pointed at or has the focus. */
  readonly place: CellPlace | null
  readonly lines: readonly RuleLine[]
  readonly roles: readonly Role[]
  /** Above the bar of unsaved changes, which stays at the lower edge of the page. */
  readonly raised: boolean
}

/**
 * The grid's last line: what applies in one cell and why, else the keys. Unlike a tooltip it covers no other cell; screen
 * readers have it from the cell itself.
 */
export function RuleNote({ place, lines, roles, raised }: RuleNoteProps) {
  const line = lines.find(({ key }) => key === place?.line)
  const role = roles.find(({ role_id }) => role_id === place?.column)
  return (
    <p
      aria-hidden
      className={classNames(
        'bg-sunken border-line text-muted sticky z-2 shrink-0 truncate rounded-b-lg border-t px-4 py-1.5 text-sm',
        raised ? 'bottom-15' : 'bottom-0',
      )}
    >
      {line === undefined || role === undefined ? (
        t('rules.keys')
      ) : (
        <>
          <span className="text-ink font-medium">
            {ruleAt(line)?.name ?? line.group.title} · {role.name}
          </span>
          <span className="mx-2">–</span>
          <span>{valueOf(line, role)}</span>
        </>
      )}
    </p>
  )
}
