import { measureElement, type Virtualizer } from '@tanstack/react-virtual'

/**
 * Height of a row, in pixels. A list that is hidden (a narrow window) measures nothing but zeros, which would throw its
 * reader elsewhere when it is shown again: then the last height counts.
 */
export function measureVisible<S extends Element, E extends Element>(
  element: E,
  entry: ResizeObserverEntry | undefined,
  virtualizer: Virtualizer<S, E>,
): number {
  const height = measureElement(element, entry, virtualizer)
  if (height > 0) return height
  const index = virtualizer.indexFromElement(element)
  const { getItemKey, estimateSize } = virtualizer.options
  return virtualizer.itemSizeCache.get(getItemKey(index)) ?? estimateSize(index)
}
