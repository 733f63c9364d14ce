import { exportSheet } from './export/export-sheet.ts'
import { prepareFile, previewFile } from './prepare-file.ts'
import { readPage } from './read-page.ts'
import { runQuery } from './run-query.ts'
import { TableError } from './table-error.ts'
import {
  PIECES_AHEAD,
  type JobResults,
  type PieceTaken,
  type TableAnswer,
  type TableJob,
  type TablePiece,
} from './table-job.ts'

/**
 * The process that reads tables. It is apart from the service because the engine is native code over strangers' bytes: when it crashes,
 * hangs or eats memory, this process ends and nothing else does. One job at a time; whoever started it kills it to stop a job.
 */
const MEMORY_CHECK_MS = 100
const MIB = 1024 * 1024
/** A process that has grown beyond this gives its memory back by ending. */
const LARGE = 256 * MIB
const limit = Number(process.argv[2]) * MIB

let ahead = 0
let onTaken: (() => void) | null = null

process.on('message', (job: TableJob | PieceTaken) => {
  if (job.kind === 'taken') {
    ahead--
    onTaken?.()
    return
  }
  ahead = 0
  void answer(job).then((message) => process.send?.(message))
})
// The service is gone, however that came. A plain exit would wait for the engine's threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

setInterval(() => {
  if (process.memoryUsage.rss() < limit) return
  const message = 'It needs more memory than one table may use. Ask for less at once.'
  process.send?.({ ok: false, code: 'too_large', message, last: true } satisfies TableAnswer)
}, MEMORY_CHECK_MS).unref()

async function answer(job: TableJob): Promise<TableAnswer> {
  try {
    return { ok: true, result: await run(job), last: isLarge() }
  } catch (error) {
    if (error instanceof TableError) return { ok: false, code: error.code, message: error.message, last: isLarge() }
    const { code = 'unknown' } = error as { code?: string }
    return { ok: false, code: 'failed', message: `The table could not be read (${String(code)}).`, last: true }
  }
}

function isLarge(): boolean {
  return process.memoryUsage.rss() > LARGE
}

function run(job: TableJob): Promise<JobResults[keyof JobResults]> {
  switch (job.kind) {
    case 'prepare':
      return prepareFile(job)
    case 'preview':
      return previewFile(job)
    case 'page':
      return readPage(job)
    case 'query':
      return runQuery(job)
    case 'export':
      return exportSheet(job, sendPiece).then(() => null)
  }
}

/** Waits when the reader is behind: memory must not grow with what he has not taken. */
async function sendPiece(piece: Uint8Array): Promise<void> {
  while (ahead >= PIECES_AHEAD) await new Promise<void>((resolve) => (onTaken = resolve))
  ahead++
  process.send?.({ piece } satisfies TablePiece)
}
