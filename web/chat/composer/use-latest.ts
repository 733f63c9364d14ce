import { useCallback, useLayoutEffect, useRef } from 'react'

/** A stable function that calls the latest one. */
export function useLatest<A extends unknown[]>(newest: (...given: A) => void): (...given: A) => void {
  const latest = useRef(newest)
  useLayoutEffect(() => {
    latest.current = newest
  })
  return useCallback((...given: A) => latest.current(...given), [])
}
