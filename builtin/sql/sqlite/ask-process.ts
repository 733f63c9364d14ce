import { fork } from 'node:child_process'
import type { SqliteAnswer, SqliteQuestion, SqliteRows } from './sqlite-question.ts'

/**
 * Runs statements in a separate process and waits for the rows; the process is killed when `signal` aborts or time runs
 * out.
 */
export function askProcess(question: SqliteQuestion, signal: AbortSignal): Promise<readonly SqliteRows[]> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const child = fork(new URL('./sqlite-process.ts', import.meta.url), {
      // Nothing from Reeve's own environment, which may contain keys.
      env: { LANG: 'C.UTF-8', TZ: 'UTC' },
      execArgv: ['--max-old-space-size=256', '--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    let outcome: (() => void) | null = null
    const stop = (why: () => void) => {
      outcome ??= why
      child.kill('SIGKILL')
    }
    const seconds = question.timeout_ms / 1000
    const timer = setTimeout(
      () => stop(() => reject(new Error(`Stopped: it took more than ${seconds} s.`))),
      question.timeout_ms,
    )
    const onAbort = () => stop(() => reject(signal.reason as Error))
    signal.addEventListener('abort', onAbort, { once: true })
    child.once('message', (answer: SqliteAnswer) => {
      outcome ??= () => ('results' in answer ? resolve(answer.results) : reject(new Error(answer.message)))
    })
    child.once('error', (error) => {
      outcome ??= () =>
        reject(new Error(`The process for SQLite could not be started: ${error.message}`, { cause: error }))
      if (child.pid === undefined) settle()
    })
    // Only once it is gone is it certain that nothing more is written.
    child.once('close', () => settle())
    const settle = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (outcome === null)
        reject(new Error('The process for SQLite ended without an answer: the statement may need too much memory.'))
      else outcome()
    }
    child.send(question, () => undefined)
  })
}
