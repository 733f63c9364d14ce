/**
 * Where to go after signing in: the path in `?next=` if it is one of ours, otherwise the dashboard. Anything that a
 * browser could interpret as another origin (`//host`, `/\host`, a scheme) is refused.
 */
export function nextPath(next: string | undefined, origin: string): string {
  if (next === undefined || !next.startsWith('/')) return '/'
  let url: URL
  try {
    url = new URL(next, origin)
  } catch {
    return '/'
  }
  const own = url.origin === origin && !/^\/[/\\]/.test(url.pathname)
  const signIn = url.pathname === '/login' || url.pathname === '/setup'
  return own && !signIn ? url.pathname + url.search + url.hash : '/'
}
