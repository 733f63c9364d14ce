import { AppError } from '../kernel/app-error.ts'
import type { Sentence } from '../kernel/sentence.ts'

/** How long a check may take, in milliseconds: what does not answer by then is not there. */
const LOOK_MS = 3000

/** One thing that must hold for requests to be served. */
export interface ReadinessCheck {
  /** For administrators and programs; not translated. */
  readonly name: string
  /** Said when it does not hold: no address, no path, nobody's name. */
  readonly problem: Sentence | (() => Sentence)
  readonly code?: 'not_ready' | 'storage_full'
  /** False, an error, or no answer within 3 s: it does not hold. */
  readonly holds: () => boolean | Promise<boolean>
}

/** What was found, by the names of the checks. */
export type CheckResults = Record<string, 'ok' | 'failed'>

export interface Readiness {
  readonly checks: CheckResults
  /** The first problem, in the order of the checks; null when all of them hold. */
  readonly problem: AppError | null
}

/**
 * Creates the readiness check out of a list. All checks are made at once, and whoever asks meanwhile shares the result,
 * so a public address cannot be used to make work. `changed` is told of every change, by names.
 */
export function readiness(
  checks: readonly ReadinessCheck[],
  changed: (failed: readonly string[], cause: unknown) => void = () => undefined,
): () => Promise<Readiness> {
  let looking: Promise<Readiness> | null = null
  let told = ''
  async function look(): Promise<Readiness> {
    const found = await Promise.all(checks.map(async (check) => ({ check, ...(await outcomeOf(check)) })))
    const failed = found.filter(({ ok }) => !ok)
    const names = failed.map(({ check }) => check.name)
    if (names.join() !== told) changed(names, failed[0]?.cause)
    told = names.join()
    const [first] = failed
    const problem = first?.check.problem
    return {
      checks: Object.fromEntries(found.map(({ check, ok }) => [check.name, ok ? 'ok' : 'failed'])),
      problem:
        first === undefined || problem === undefined
          ? null
          : new AppError(first.check.code ?? 'not_ready', typeof problem === 'function' ? problem() : problem),
    }
  }
  return () => (looking ??= look().finally(() => (looking = null)))
}

async function outcomeOf({ holds }: ReadinessCheck): Promise<{ ok: boolean; cause?: unknown }> {
  const { promise: late, resolve } = Promise.withResolvers<{ ok: boolean; cause?: unknown }>()
  const timer = setTimeout(() => resolve({ ok: false, cause: new Error(`no answer within ${LOOK_MS} ms`) }), LOOK_MS)
  try {
    return await Promise.race([late, Promise.resolve(holds()).then((ok) => ({ ok }))])
  } catch (cause) {
    return { ok: false, cause }
  } finally {
    clearTimeout(timer)
  }
}
