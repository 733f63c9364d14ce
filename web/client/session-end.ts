import { whenSignedOut } from './api.ts'
import { activityFeed, whenFeedSignedOut } from './activity/use-activity.ts'
import { queryClient } from './query-client.ts'

/** What this file needs of the router. The router itself imports pages, which call the API. */
interface Navigator {
  readonly history: { push: (href: string) => void }
  readonly state: { location: { href: string; pathname: string }; status: string }
}

/**
 * When the server says that nobody is signed in, on whichever request: everything cached is dropped and the sign-in
 * page is shown, with the return path in `?next=`. Drafts are in local storage and survive.
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

/** Drops everything that belongs to the previous user. */
export function forgetSession(): void {
  activityFeed.stop()
  queryClient.clear()
}
