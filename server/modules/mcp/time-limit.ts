import { createContext, Script } from 'node:vm'

let context: { work?: (() => unknown) | undefined } | undefined
let script: Script | undefined

/** On a busy machine the same work takes longer, so it gets further attempts with more time. */
const TRIES = [1, 4, 16]

/**
 * Runs `work` synchronously and aborts it after `milliseconds` of CPU time, whatever it does, including backtracking
 * regular expressions and exploding schemas. It may run more than once and be aborted half-way, so `work` must share no
 * state that is used again. @throws {TimeLimitError} when it took longer, or whatever `work` throws.
 */
export function withTimeLimit<T>(milliseconds: number, work: () => T): T {
  for (const factor of TRIES) {
    const before = process.cpuUsage()
    const outcome = runOnce(milliseconds * factor, work)
    if (outcome !== null) return outcome.value
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1000 > milliseconds / 2) break
  }
  throw new TimeLimitError(milliseconds)
}

/** Null when it was aborted. */
function runOnce<T>(milliseconds: number, work: () => T): { value: T } | null {
  // A script's time limit covers everything it calls. This isn't a sandbox: no foreign code is evaluated here.
  script ??= new Script('work()')
  context ??= createContext({})
  context.work = work
  try {
    return { value: script.runInContext(context, { timeout: milliseconds }) as T }
  } catch (error) {
    // The timeout is an Error of the other context, so `instanceof` would not recognise it.
    const code = error !== null && typeof error === 'object' && 'code' in error ? error.code : null
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  } finally {
    context.work = undefined
  }
}

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
  constructor(milliseconds: number) {
    super(`it takes longer than ${milliseconds} ms`)
  }
}
