import { useEffect, useRef } from 'react'
import type { ShortcutId } from './shortcuts.ts'

const handlers = new Map<ShortcutId, (() => void)[]>()

/** What a shortcut does while the component is shown; the newest wins. Not `enabled`: the key is left to the browser. */
export function useShortcut(id: ShortcutId, handler: () => void, enabled = true): void {
  const latest = useRef(handler)
  useEffect(() => {
    latest.current = handler
  })
  useEffect(() => {
    if (!enabled) return undefined
    const run = (): void => latest.current()
    handlers.set(id, [...(handlers.get(id) ?? []), run])
    return () => {
      handlers.set(
        id,
        (handlers.get(id) ?? []).filter((other) => other !== run),
      )
    }
  }, [id, enabled])
}

/** Does what the shortcut means now; false when nobody takes it. */
export function runShortcut(id: ShortcutId): boolean {
  const handler = handlers.get(id)?.at(-1)
  handler?.()
  return handler !== undefined
}
