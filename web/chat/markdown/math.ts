import katex from 'katex'
import 'katex/dist/katex.min.css'

/**
 * Draws a formula into an element; false, and nothing drawn, if it cannot be read. Commands that set links, classes or
 * pictures are not known, sizes and macros are limited, and elements are made without any HTML. A separate chunk.
 */
export function drawFormula(place: HTMLElement, source: string, display: boolean): boolean {
  try {
    katex.render(source, place, { displayMode: display, trust: false, strict: 'ignore', maxSize: 12, maxExpand: 300 })
    return true
  } catch {
    place.replaceChildren()
    return false
  }
}
