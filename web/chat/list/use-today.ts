import { useEffect, useState } from 'react'

/** The current day: another one after midnight, and when the page is looked at again. */
export function useToday(): Date {
  const [today, setToday] = useState(() => new Date())
  useEffect(() => {
    const look = (): void =>
      setToday((before) => (before.toDateString() === new Date().toDateString() ? before : new Date()))
    const midnight = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1)
    const timer = setTimeout(look, midnight.getTime() - Date.now())
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [today])
  return today
}
