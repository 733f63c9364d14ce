/** Heights beyond this break scroll bars (browsers stop between 16 and 33 million pixels): then the bar is scaled. */
const TALLEST = 8_000_000

export interface RowWindow {
  /** The scroll bar's own position, in pixels. */
  readonly top: number
  /** The corresponding position in the unscaled list, in pixels. */
  readonly offset: number
}
export interface RowExtent {
  readonly count: number
  /** Height of a row and of the viewport, in pixels. */
  readonly row: number
  readonly view: number
}

/** Height of the scrolled content, in pixels. */
export function contentHeight({ count, row }: RowExtent): number {
  return Math.min(count * row, TALLEST)
}

/** Maximum scroll position, unscaled and as the scroll bar has it. */
function ways(extent: RowExtent): { real: number; bar: number } {
  return {
    real: Math.max(0, extent.count * extent.row - extent.view),
    bar: Math.max(0, contentHeight(extent) - extent.view),
  }
}

/**
 * Position of the rows after the scroll bar has moved to `top`. A short distance is applied as is, so that no row is
 * skipped; a long one (the bar was dragged) jumps to the same fraction of the list. For lists of ordinary length the
 * two are the same.
 */
export function scrolled(before: RowWindow, top: number, extent: RowExtent): RowWindow {
  const { real, bar } = ways(extent)
  if (real === bar) return { top, offset: top }
  if (top <= 0) return { top, offset: 0 }
  if (top >= bar - 1) return { top, offset: real }
  const way = top - before.top
  const offset = Math.abs(way) <= extent.view ? before.offset + way : (top / bar) * real
  return { top, offset: Math.min(real, Math.max(0, offset)) }
}

/** The window with rows at `offset` and the scroll bar at its matching position. */
export function windowAt(offset: number, extent: RowExtent): RowWindow {
  const { real, bar } = ways(extent)
  const within = Math.min(real, Math.max(0, offset))
  return { offset: within, top: real === bar ? within : Math.round((within / real) * bar) }
}

/** The rows to render: those in view and `spare` more on either side. `last` is inclusive; -1 for none. */
export function rowsInSight({ offset }: RowWindow, extent: RowExtent, spare: number): { first: number; last: number } {
  const first = Math.max(0, Math.floor(offset / extent.row) - spare)
  const last = Math.min(extent.count - 1, Math.ceil((offset + extent.view) / extent.row) + spare)
  return { first, last }
}
