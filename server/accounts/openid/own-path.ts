const LONGEST = 1000
/** An arbitrary origin: all that matters is whether a path leaves it. */
const HERE = 'http://here.invalid'

/**
 * A path of this service to continue to after signing in, or `/` for anything that leads elsewhere or back to the
 * sign-in.
 */
export function ownPath(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/'
  const url = URL.parse(next, HERE)
  if (url === null || url.origin !== HERE || /^\/[/\\]/.test(url.pathname)) return '/'
  if (['/login', '/setup'].includes(url.pathname) || url.pathname.startsWith('/api/')) return '/'
  const path = url.pathname + url.search + url.hash
  return path.length > LONGEST ? '/' : path
}
