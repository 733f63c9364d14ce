import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { HEAD } from './rule-head.tsx'
import { RULE_KEYS } from './rule-menu.ts'
import { NAMES } from './rule-row.tsx'
import { ruleAt, type RuleLine } from './rule-lines.ts'
import type { Role, RuleChoice } from './tool-rules.ts'

/** A cell by the key of its line and its column: a role's id, or the names. */
export interface CellPlace {
  readonly line: string
  readonly column: string
}
/** The menu of a cell. It stays after it was closed, so that the focus can return to its cell. */
export interface CellMenuState extends CellPlace {
  readonly byKey: boolean
  readonly open: boolean
}

interface RuleCellsOptions {
  readonly grid: RefObject<HTMLElement | null>
  readonly lines: readonly RuleLine[]
  readonly roles: readonly Role[]
  /** The head can be reached: its roles have menus. */
  readonly head: boolean
  onChoose(place: CellPlace, choice: RuleChoice): void
  onFold(line: string): void
  onUndo(): void
}

const PAGE = 10

/** The active cell of the grid and its menu: one tab stop, arrows move, letters choose. */
export function useRuleCells({ grid, lines, roles, head, onChoose, onFold, onUndo }: RuleCellsOptions) {
  const [wanted, setWanted] = useState<CellPlace | null>(null)
  const [menu, setMenu] = useState<CellMenuState | null>(null)
  const [hovered, setHovered] = useState<CellPlace | null>(null)
  const [inside, setInside] = useState(false)
  const moved = useRef(false)
  const keyBefore = useRef('')
  const pressedOn = useRef<CellPlace | null>(null)
  const anchor = useRef<HTMLElement | null>(null)
  const columns = [NAMES, ...roles.map(({ role_id }) => role_id)]
  const firstRow = head ? -1 : 0
  const rowOf = (line: string): number => (line === HEAD ? -1 : lines.findIndex(({ key }) => key === line))
  const at = wanted === null ? -2 : rowOf(wanted.line)
  // What was active may be filtered, folded or gone: then the first cell is.
  const there =
    wanted !== null && (at >= 0 || (at === -1 && head && wanted.line === HEAD)) && columns.includes(wanted.column)
  const active: CellPlace | null = there ? wanted : lines[0] ? { line: lines[0].key, column: NAMES } : null
  const find = ({ line, column }: CellPlace): HTMLElement | null =>
    grid.current?.querySelector<HTMLElement>(
      `[data-line="${CSS.escape(line)}"] [data-column="${CSS.escape(column)}"]`,
    ) ?? null

  useLayoutEffect(() => {
    if (!moved.current || wanted === null) return
    moved.current = false
    const cell = find(wanted)
    cell?.focus({ preventScroll: true })
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  const moveTo = (row: number, column: number): void => {
    if (active === null) return
    const line = Math.max(firstRow, Math.min(row, lines.length - 1))
    const lowest = line === -1 ? 1 : 0
    const key = columns[Math.max(lowest, Math.min(column, columns.length - 1))]
    if (key === undefined) return
    moved.current = true
    setHovered(null)
    setWanted({ line: line === -1 ? HEAD : (lines[line]?.key ?? ''), column: key })
  }
  const openMenu = (place: CellPlace, byKey: boolean): void => {
    anchor.current = find(place)
    setMenu({ ...place, byKey, open: true })
  }
  const hasRule = ({ line, column }: CellPlace): boolean => {
    if (column === NAMES) return false
    const shown = lines[rowOf(line)]
    return line === HEAD || (shown !== undefined && ruleAt(shown) !== null)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    const place = placeOf(event.target)
    if (place === null || event.altKey) return
    const before = keyBefore.current
    keyBefore.current = event.key
    const row = rowOf(place.line)
    const column = columns.indexOf(place.column)
    const far = event.ctrlKey || event.metaKey
    const to: Partial<Record<string, readonly [number, number]>> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [Math.max(0, row - PAGE), column],
      PageDown: [row + PAGE, column],
      Home: [far ? 0 : row, 0],
      End: [far ? lines.length - 1 : row, columns.length - 1],
    }
    const next = to[event.key]
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (next !== undefined && (!far || event.key === 'Home' || event.key === 'End')) moveTo(...next)
    else if (far && key === 'z') onUndo()
    else if (far) return
    else if ((key === 'Enter' || key === ' ') && hasRule(place)) openMenu(place, true)
    // After a g, the letter is the second key of a shortcut for another page.
    else if (Object.hasOwn(RULE_KEYS, key) && before !== 'g' && place.line !== HEAD) {
      if (hasRule(place)) onChoose(place, RULE_KEYS[key] ?? null)
    } else return
    event.preventDefault()
  }

  return {
    active,
    /** The cell under the pointer, else the one with the focus. */
    pointed: hovered ?? (inside ? active : null),
    menu,
    anchor,
    closeMenu: (): void => setMenu(menu && { ...menu, open: false }),
    handlers: {
      onKeyDown,
      onPointerOver: (event: PointerEvent): void => {
        const place = placeOf(event.target)
        if (event.pointerType === 'mouse' && (place === null || !isSame(hovered, place))) setHovered(place)
      },
      onPointerLeave: (): void => setHovered(null),
      onBlur: (): void => setInside(false),
      onFocus: (event: FocusEvent): void => {
        const place = placeOf(event.target)
        setInside(place !== null)
        if (place !== null && (place.line !== active?.line || place.column !== active.column)) setWanted(place)
      },
      // An open menu closes when its own cell is pressed; the click that follows must not open it again.
      onPointerDownCapture: (): void => {
        pressedOn.current = menu?.open === true ? menu : null
      },
      onClick: (event: MouseEvent): void => {
        const place = placeOf(event.target)
        if (place === null) return
        if (event.target instanceof Element && event.target.closest('[data-fold]') !== null) onFold(place.line)
        else if (hasRule(place) && !isSame(pressedOn.current, place)) openMenu(place, event.detail === 0)
        pressedOn.current = null
      },
    },
  }
}

function isSame(one: CellPlace | null, other: CellPlace): boolean {
  return one !== null && one.line === other.line && one.column === other.column
}

function placeOf(target: EventTarget): CellPlace | null {
  if (!(target instanceof Element)) return null
  const column = target.closest<HTMLElement>('[data-column]')?.dataset['column']
  const line = target.closest<HTMLElement>('[data-line]')?.dataset['line']
  return column === undefined || line === undefined ? null : { line, column }
}
