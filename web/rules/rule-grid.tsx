import { type RefObject, useId, useRef } from 'react'
import { classNames } from '../parts/class-names.ts'
import { type MenuEntry, menuListPart } from '../parts/controls/menu.tsx'
import { announce } from '../parts/feedback/announcer.tsx'
import { useLater } from '../parts/later.ts'
import { t } from '../text/i18n.ts'
import { HEAD, RuleHead } from './rule-head.tsx'
import { ruleAt, type RuleLine } from './rule-lines.ts'
import { choicesOf, ruleMenu } from './rule-menu.ts'
import { RuleNote } from './rule-note.tsx'
import { RuleRow } from './rule-row.tsx'
import type { Role, RuleChoice } from './tool-rules.ts'
import { useLineWindow } from './use-line-window.ts'
import { type CellPlace, useRuleCells } from './use-rule-cells.ts'
import type { RuleDraft } from './use-rule-draft.ts'

const ROW_PX = 36
/** On a phone, fingers need more, and the code goes below the name. */
const TOUCH_ROW_PX = 44

export interface RuleGridProps {
  readonly label: string
  readonly draft: RuleDraft
  /** The roles that are shown, with their unsaved rules. */
  readonly roles: readonly Role[]
  readonly lines: readonly RuleLine[]
  readonly narrow: boolean
  /** It is the page's one scroller; otherwise it is as high as its lines and scrolls sideways only. */
  readonly fill: boolean
  /** Folds or unfolds a group; without it, groups stay open. */
  readonly onFold?: (group: string) => void
  /** Actions of a role, behind a button in its head. */
  readonly headMenu?: (role: Role) => readonly MenuEntry[]
  readonly onExplain?: (role: Role, code: string) => void
  /** Shows the rules with conditions of a cell. */
  onConditions(role_id: string, subject: string): void
}

/** Tools and permissions down, roles across. Only the lines in view are rendered. */
export function RuleGrid(props: RuleGridProps) {
  const { label, draft, roles, lines, narrow, fill, onFold, headMenu, onExplain, onConditions } = props
  const id = useId()
  const grid = useRef<HTMLDivElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const headBox = useRef<HTMLDivElement>(null)
  const height = narrow ? TOUCH_ROW_PX : ROW_PX
  const choose = ({ line: key, column }: CellPlace, choice: RuleChoice): void => {
    const line = lines.find((one) => one.key === key)
    const rule = line === undefined ? null : ruleAt(line)
    const role = roles.find(({ role_id }) => role_id === column)
    if (rule === null || role === undefined || (choice !== null && !choicesOf(role).includes(choice))) return
    draft.change({ role_id: column, subject: rule.subject, choice })
    const word = t(choice === null ? 'modules.rule_none' : `modules.rule_${choice}`)
    announce(`${t('modules.rule_label', { tool: rule.name, role: role.name })}: ${word}`)
  }
  const cells = useRuleCells({
    grid,
    lines,
    roles,
    head: headMenu !== undefined,
    onChoose: choose,
    onFold: (key) => {
      const line = lines.find((one) => one.key === key)
      if (line !== undefined) onFold?.(line.group.id)
    },
    onUndo: () => {
      if (draft.open.length === 0) return
      draft.undo()
      announce(t('rules.taken_back'))
    },
  })
  const { active, menu } = cells
  const sight = useLineWindow(scroller, lines.length, height, fill)
  // The active line stays, however far it is scrolled away: it is the way in for the keyboard.
  const kept = lines.findIndex(({ key }) => key === active?.line)
  const shown = lines.flatMap((_, index) =>
    index === kept || (index >= sight.first && index <= sight.last) ? [index] : [],
  )
  const columns = narrow
    ? `minmax(0, 1fr) repeat(${roles.length}, 8.5rem)`
    : `minmax(18rem, 1fr) repeat(${roles.length}, minmax(8.5rem, 12rem))`
  const width = narrow ? '100%' : `max(100%, ${18 + 8.5 * roles.length}rem)`
  const row = (index: number, style: object) => {
    const line = lines[index]
    return (
      line && (
        <RuleRow
          key={line.key}
          line={line}
          rowIndex={index + 2}
          roles={roles}
          changes={draft.open}
          active={active?.line === line.key ? active.column : null}
          menu={menu?.open && menu.line === line.key ? menu.column : null}
          folds={onFold !== undefined}
          narrow={narrow}
          style={{ gridTemplateColumns: columns, height, ...style }}
        />
      )
    )
  }
  const head = (
    <div role="rowgroup" className={classNames(fill && 'sticky top-0 z-2')} style={{ width }}>
      <RuleHead
        roles={roles}
        columns={columns}
        active={active?.line === HEAD ? active.column : null}
        menu={menu?.open && menu.line === HEAD ? menu.column : null}
        menus={headMenu !== undefined}
      />
    </div>
  )
  return (
    <div
      ref={grid}
      role="grid"
      aria-label={label}
      aria-describedby={`${id}-keys`}
      aria-rowcount={lines.length + 1}
      aria-colcount={roles.length + 1}
      {...cells.handlers}
      className={classNames(
        'bg-surface border-line rounded-lg border',
        fill && 'flex min-h-48 flex-col overflow-hidden',
      )}
    >
      {!fill && (
        <div ref={headBox} className="sticky top-14 z-2 overflow-hidden rounded-t-lg">
          {head}
        </div>
      )}
      <div
        ref={scroller}
        className={classNames(
          'relative',
          fill ? 'min-h-0 overflow-auto overscroll-contain [overflow-anchor:none]' : 'overflow-x-auto rounded-b-lg',
        )}
        onScroll={({ currentTarget }) => {
          sight.onScroll()
          if (headBox.current !== null) headBox.current.scrollLeft = currentTarget.scrollLeft
        }}
      >
        {fill && head}
        <div role="rowgroup" className="relative" style={{ width, height: lines.length * height }}>
          {shown.map((index) => row(index, { position: 'absolute', insetInline: 0, top: index * height }))}
        </div>
      </div>
      {menu !== null && (
        <CellMenu
          key={`${menu.line} ${menu.column}`}
          label={roles.find(({ role_id }) => role_id === menu.column)?.name ?? ''}
          anchor={cells.anchor}
          open={menu.open}
          byKey={menu.byKey}
          entries={menuAt(menu)}
          onClose={cells.closeMenu}
        />
      )}
      <p id={`${id}-keys`} hidden>
        {t('rules.keys')}
      </p>
      {!narrow && (
        <RuleNote place={cells.pointed} lines={lines} roles={roles} raised={!fill && draft.open.length > 0} />
      )}
    </div>
  )

  function menuAt(place: CellPlace): readonly MenuEntry[] {
    const role = roles.find(({ role_id }) => role_id === place.column)
    if (role === undefined) return []
    if (place.line === HEAD) return headMenu?.(role) ?? []
    const line = lines.find(({ key }) => key === place.line)
    if (line === undefined) return []
    const explained = line.kind === 'entry' && line.entry.unexplained !== true && onExplain !== undefined
    const explain = explained ? () => onExplain(role, line.entry.code) : null
    const conditions = (): void => onConditions(role.role_id, ruleAt(line)?.subject ?? '')
    return ruleMenu(line, role, (choice) => choose(place, choice), explain, conditions)
  }
}

interface CellMenuProps {
  readonly label: string
  readonly anchor: RefObject<HTMLElement | null>
  readonly open: boolean
  readonly byKey: boolean
  readonly entries: readonly MenuEntry[]
  onClose(): void
}

/** One menu for all cells, at the one that opened it. */
function CellMenu({ label, anchor, open, byKey, entries, onClose }: CellMenuProps) {
  const id = useId()
  const part = useLater(menuListPart)
  return (
    part && (
      <>
        <span id={`${id}-name`} hidden>
          {label}
        </span>
        <part.MenuList
          id={id}
          labelledBy={`${id}-name`}
          button={anchor}
          open={open}
          byKey={byKey}
          onOpenChange={(next) => next || onClose()}
          entries={entries}
        />
      </>
    )
  )
}
