import { ApiError } from './api-error.ts'

/**
 * Field errors of a refused form, by the first path segment below `root` (`values.port` → `port`). Paths that match no
 * field stay in the error itself.
 */
export function fieldErrors(error: unknown, roots: readonly string[] = []): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  if (!(error instanceof ApiError)) return found
  for (const { path, message } of error.errors) {
    const steps = path.split('.')
    const field = roots.includes(steps[0] ?? '') ? steps[1] : steps[0]
    if (field !== undefined && field !== '' && !found.has(field)) found.set(field, message)
  }
  return found
}
