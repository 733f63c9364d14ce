import { flushCompileCache } from 'node:module'
import { say } from '../kernel/sentence.ts'
import { TableError } from './table-error.ts'
import {
  PIECES_AHEAD,
  type JobResults,
  type PieceTaken,
  type TableAnswer,
  type TableJob,
  type TablePiece,
  type WarmUp,
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

let kept = false
let ahead = 0
let onTaken: (() => void) | null = null

process.on('message', (job: TableJob | PieceTaken | WarmUp) => {
  if (job.kind === 'taken') {
    ahead--
    onTaken?.()
    return
  }
  if (job.kind === 'warm') {
    // What fails here fails again where it can be told.
    warmUp().catch(() => undefined)
    return
  }
  ahead = 0
  void answer(job).then((message) => {
    process.send?.(message)
    keepPrograms()
  })
})
// The service is gone, however that came. A plain exit would wait for the engine's threads.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

setInterval(() => {
  if (process.memoryUsage.rss() < limit) return
  const detail = say`It needs more memory than one table may use. Ask for less at once.`.pack()
  process.send?.({ ok: false, code: 'too_large', detail, last: true } satisfies TableAnswer)
}, MEMORY_CHECK_MS).unref()

async function answer(job: TableJob): Promise<TableAnswer> {
  try {
    return { ok: true, result: await run(job), last: isLarge() }
  } catch (error) {
    if (error instanceof TableError)
      return { ok: false, code: error.code, detail: error.detail.pack(), last: isLarge() }
    const { code = 'unknown' } = error as { code?: string }
    return { ok: false, code: 'failed', detail: say`The table could not be read (${String(code)}).`.pack(), last: true }
  }
}

function isLarge(): boolean {
  return process.memoryUsage.rss() > LARGE
}

/** Loads no more than the job needs: starting is most of what a first look costs. */
async function run(job: TableJob): Promise<JobResults[keyof JobResults]> {
  switch (job.kind) {
    case 'prepare':
      return (await import('./prepare-file.ts')).prepareFile(job)
    case 'preview':
      return (await import('./prepare-file.ts')).previewFile(job)
    case 'page':
      return (await import('./read-page.ts')).readPage(job)
    case 'query':
      return (await import('./run-query.ts')).runQuery(job)
    case 'export': {
      const { exportSheet } = await import('./export/export-sheet.ts')
      return exportSheet(job, sendPiece).then(() => null)
    }
  }
}

async function warmUp(): Promise<void> {
  await Promise.all([import('./prepare-file.ts'), import('./csv-source.ts'), import('./read-page.ts')])
  keepPrograms()
}

/** By hand, because this process is killed and never exits. */
function keepPrograms(): void {
  if (kept) return
  kept = true
  flushCompileCache()
}

/** Waits when the reader is behind: memory must not grow with what he has not taken. */
async function sendPiece(piece: Uint8Array): Promise<void> {
  while (ahead >= PIECES_AHEAD) await new Promise<void>((resolve) => (onTaken = resolve))
  ahead++
  process.send?.({ piece } satisfies TablePiece)
}
