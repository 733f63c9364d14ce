import { useEffect } from 'react'
import { loadParts } from '../../parts/load-parts.ts'

/** On a slow network, what the page shows is there by then. */
const AFTER_MS = 2000

/** Loads what appears above the page once the page itself is shown. */
export function usePartsAhead(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadParts(), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
}
