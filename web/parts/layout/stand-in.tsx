import { useImperativeHandle, type Ref, type RefObject } from 'react'

/**
 * Stands in for an element that is rendered elsewhere, where Radix wants the element that something is placed at as a
 * child (`asChild`): it renders nothing, and its ref is that element.
 */
export function StandIn({ element, ref }: { readonly element: RefObject<HTMLElement | null>; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => element.current!, [element])
  return null
}
