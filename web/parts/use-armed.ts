import { useEffect, useState } from 'react'

const ARM_MS = 500
/** A decided card shrinks to a record, and the buttons of the next one may come to lie under the pointer. */
const layoutChanged = new EventTarget()

/** Has every button that arms wait again: what was under the pointer may have moved. */
export function disarmAll(): void {
  layoutChanged.dispatchEvent(new Event('change'))
}

/** False for half a second after appearing, after another card was decided, and after the tab comes back to the front. */
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
