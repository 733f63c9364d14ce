import { useSyncExternalStore } from 'react'

/** Light, dark or system theme, stored in this browser. web/public/theme.js applies it before the first paint. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'reeve.theme'
const listeners = new Set<() => void>()

function readTheme(): Theme {
  const chosen = readStored()
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

/** The chosen theme, kept up to date. */
export function useTheme(): Theme {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => readTheme(),
  )
}

/** Applies a choice made in another tab. */
export function followTheme(): void {
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) setTheme(readTheme())
  })
}

function readStored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
