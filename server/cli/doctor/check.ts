/** The result of one check of `reeve doctor`. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to do about it; null if there is nothing to do. */
  readonly fix: string | null
}

export function ok(name: string, message: string): Check {
  return { name, status: 'ok', message, fix: null }
}
export function warn(name: string, message: string, fix: string): Check {
  return { name, status: 'warn', message, fix }
}
export function fail(name: string, message: string, fix: string): Check {
  return { name, status: 'fail', message, fix }
}

/** A check that throws counts as failed. */
export async function attempt(name: string, fix: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check()
  } catch (error) {
    return fail(name, error instanceof Error ? error.message : String(error), fix)
  }
}
