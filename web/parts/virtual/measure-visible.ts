import { measureElement, type Virtualizer } from '@tanstack/react-virtual'

/**
 * Height of a row, in pixels. A hidden list (in a narrow window) measures only zeros, which would move the reader when
 * it is shown again: the last height is used instead.
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
