import { useEffect, useRef } from 'react'
import type { ShortcutId } from './shortcuts.ts'

const handlers = new Map<ShortcutId, (() => void)[]>()

/**
 * Handles a shortcut while the component is mounted; the latest one wins. Unless `enabled`, the key is left to the
 * browser.
 */
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

/** Whether the shortcut does something at the moment. */
export function canRunShortcut(id: ShortcutId): boolean {
  return (handlers.get(id)?.length ?? 0) > 0
}

/** Runs the shortcut's current handler; false when there is none. */
export function runShortcut(id: ShortcutId): boolean {
  const handler = handlers.get(id)?.at(-1)
  handler?.()
  return handler !== undefined
}
