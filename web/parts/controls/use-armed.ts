import { useEffect, useState } from 'react'

const ARM_MS = 500
/** A decided card shrinks to a record, which may move the next card's buttons under the pointer. */
const layoutChanged = new EventTarget()

/** Makes all arming buttons wait again: what is under the pointer may have moved. */
export function disarmAll(): void {
  layoutChanged.dispatchEvent(new Event('change'))
}

/** False for half a second after mounting, after another card was decided, and after the tab becomes visible again. */
export function useArmed(): boolean {
  const [armed, setArmed] = useState(false)
  useEffect(() => {
    let timer = setTimeout(() => setArmed(true), ARM_MS)
    const rearm = (): void => {
      clearTimeout(timer)
      setArmed(false)
      if (document.visibilityState === 'visible') timer = setTimeout(() => setArmed(true), ARM_MS)
    }
    document.addEventListener('visibilitychange', rearm)
    layoutChanged.addEventListener('change', rearm)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', rearm)
      layoutChanged.removeEventListener('change', rearm)
    }
  }, [])
  return armed
}
