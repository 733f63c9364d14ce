/**
 * Whether something between `target` and `box` takes a vertical scroll for itself, such as a table with rows of its own.
 * `way`: below zero towards its beginning.
 */
export function scrollsItself(target: EventTarget | null, box: Element, way: number): boolean {
  for (let at = target instanceof Element ? target : null; at !== null && at !== box; at = at.parentElement) {
    if (at.scrollHeight <= at.clientHeight || !/auto|scroll/.test(getComputedStyle(at).overflowY)) continue
    const left = at.scrollHeight - at.clientHeight - at.scrollTop
    if (way < 0 ? at.scrollTop > 0 : left > 1) return true
  }
  return false
}
