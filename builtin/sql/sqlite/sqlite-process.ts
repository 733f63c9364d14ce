import process from 'node:process'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { runSqlite } from './run-sqlite.ts'
import type { SqliteAnswer, SqliteQuestion } from './sqlite-question.ts'

const MEMORY_LIMIT = 512 * 1024 * 1024

/**
 * The process of one SQLite statement. SQLite cannot be interrupted from outside, so it runs in a thread while the main
 * thread ends the whole process when time runs out or Reeve is gone.
 */
if (isMainThread) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.once('message', (question: SqliteQuestion) => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), question.timeout_ms + 2000)
    // SQLite does not count memory in Node's build, so its own limit would never apply.
    setInterval(() => {
      if (process.memoryUsage.rss() > MEMORY_LIMIT) process.kill(process.pid, 'SIGKILL')
    }, 25)
    const worker = new Worker(new URL(import.meta.url), { workerData: question })
    const answer = (message: SqliteAnswer) => process.send?.(message, () => process.exit(0))
    worker.once('message', answer)
    worker.once('error', (error) => answer({ message: error instanceof Error ? error.message : String(error) }))
  })
} else {
  let answer: SqliteAnswer
  try {
    answer = { results: runSqlite(workerData as SqliteQuestion) }
  } catch (error) {
    answer = { message: error instanceof Error ? error.message : String(error) }
  }
  parentPort!.postMessage(answer)
}
