import { whenSignedOut } from './api.ts'
import { activityFeed, whenFeedSignedOut } from './live.ts'
import { queryClient } from './query-client.ts'

/** What this file needs of the router; the router itself imports pages, which call the interface. */
interface Navigator {
  readonly history: { push: (href: string) => void }
  readonly state: { location: { href: string; pathname: string }; status: string }
}

/**
 * When the server says that nobody is signed in, wherever that shows first: everything cached is dropped and the
 * sign-in page comes, with the way back in `?next=`. Drafts are in local storage and are still there afterwards.
 */
export function handleSessionEnd(router: Navigator): void {
  const ended = (): void => {
    const { location } = router.state
    if (location.pathname === '/login' || location.pathname === '/setup') return
    forgetSession()
    router.history.push(`/login?next=${encodeURIComponent(location.href)}&ended=1`)
  }
  whenSignedOut(ended)
  whenFeedSignedOut(ended)
}

/** Drops what belongs to the person who was signed in. */
export function forgetSession(): void {
  activityFeed.stop()
  queryClient.clear()
}
