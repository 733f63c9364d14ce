/** What one check of `reeve doctor` found. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What a person does about it; null where there is nothing to do. */
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

/** A check that breaks is a check that failed. */
export async function attempt(name: string, fix: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check()
  } catch (error) {
    return fail(name, error instanceof Error ? error.message : String(error), fix)
  }
}
