import { useSyncExternalStore } from 'react'

/** Layout density, stored in this browser. web/public/theme.js applies it before the first paint. */
export const DENSITIES = ['comfortable', 'compact'] as const
export type Density = (typeof DENSITIES)[number]

const KEY = 'reeve.density'
const listeners = new Set<() => void>()

export function setDensity(density: Density): void {
  if (density === 'compact') document.documentElement.dataset['density'] = density
  else delete document.documentElement.dataset['density']
  try {
    if (density === 'compact') localStorage.setItem(KEY, density)
    else localStorage.removeItem(KEY)
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

/** The chosen density, kept up to date. */
export function useDensity(): Density {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => (document.documentElement.dataset['density'] === 'compact' ? 'compact' : 'comfortable'),
  )
}
