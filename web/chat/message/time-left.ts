import { useEffect, useState } from 'react'

/** Milliseconds until then, in whole seconds; counts down to zero. */
export function useTimeLeft(until: string | undefined): number {
  const end = until === undefined ? 0 : Date.parse(until)
  const [now, setNow] = useState(Date.now)
  const left = Math.max(0, Math.ceil((end - now) / 1000)) * 1000
  const waiting = left > 0
  useEffect(() => {
    if (!waiting) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [waiting])
  return left
}
