import { useEffect, useState } from 'react'

/** The time in epoch milliseconds, updated every `everyMs`; for "5 minutes ago" and countdowns. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
