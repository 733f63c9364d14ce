import { useEffect, useRef, useSyncExternalStore } from 'react'
import { ActivityFeed, type ActivitySignal, type Connection } from './activity-feed.ts'

let onSignedOut: (() => void) | null = null
/** The feed of this tab: started by the frame for the signed-in user, stopped at sign-out. */
export const activityFeed = new ActivityFeed(() => onSignedOut?.())

/** Sets what happens when the stream is refused because nobody is signed in. */
export function whenFeedSignedOut(handler: () => void): void {
  onSignedOut = handler
}

/**
 * Calls the handler for every activity event of the user, in order and once each, and with `resync` when what is shown
 * must be read again (first connection, or a lost position in the stream). The handler may change between renders.
 */
export function useActivity(handler: (signal: ActivitySignal) => void): void {
  const latest = useRef(handler)
  useEffect(() => {
    latest.current = handler
  })
  useEffect(() => activityFeed.subscribe((signal) => latest.current(signal)), [])
}

/** Whether events are arriving. `connecting` only before the first connection. */
export function useConnection(): Connection {
  return useSyncExternalStore(activityFeed.watchStatus, activityFeed.currentStatus)
}
