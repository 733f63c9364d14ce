import { createContext, Script } from 'node:vm'

let context: { work?: (() => unknown) | undefined } | undefined
let script: Script | undefined

/** On a machine that is busy with others the same work takes longer: it gets another try, with more time. */
const TRIES = [1, 4, 16]

/**
 * Runs `work` here and now and breaks it off after `milliseconds` of the processor's time, whatever it does: a regular expression that
 * backtracks and a schema that explodes as well. It may be begun more than once, and what was broken off may be left half done, so `work`
 * shares nothing that is used again. @throws {TimeLimitError} when it took longer, or whatever `work` throws.
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

/** Null when it was broken off. */
function runOnce<T>(milliseconds: number, work: () => T): { value: T } | null {
  // The limit of a script holds for all it calls. Nothing foreign is evaluated here: it is not used as a sandbox.
  script ??= new Script('work()')
  context ??= createContext({})
  context.work = work
  try {
    return { value: script.runInContext(context, { timeout: milliseconds }) as T }
  } catch (error) {
    // The time-out is an Error of the other context, so `instanceof` would not know it.
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
