import { flushCompileCache } from 'node:module'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'
import {
  PIECES_AHEAD,
  type Compile,
  type JobResults,
  type PieceTaken,
  type TableAnswer,
  type TableJob,
  type TablePiece,
  type WarmUp,
} from '../shape/table-job.ts'

/**
 * The process that reads tables. It is separate from the service because the engine is native code that handles
 * untrusted bytes: when it crashes, hangs or eats memory, only this process ends. One job at a time; its parent kills
 * it to stop a job.
 */
const MEMORY_CHECK_MS = 100
const MIB = 1024 * 1024
/** A process that has grown beyond this returns its memory by ending. */
const LARGE = 256 * MIB
const limit = Number(process.argv[2]) * MIB

let kept = false
let ahead = 0
let onTaken: (() => void) | null = null

process.on('message', (job: TableJob | PieceTaken | WarmUp | Compile) => {
  if (job.kind === 'taken') {
    ahead--
    onTaken?.()
    return
  }
  if (job.kind === 'warm') {
    // What fails here fails again where it can be reported.
    warmUp().catch(() => undefined)
    return
  }
  if (job.kind === 'compile') {
    void compile()
    return
  }
  ahead = 0
  void answer(job).then((message) => {
    process.send?.(message)
    keepPrograms()
  })
})
// The service is gone, for whatever reason. A plain exit would wait for the engine's threads.
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

/** Loads only what the job needs: startup is most of the cost of a first look. */
async function run(job: TableJob): Promise<JobResults[keyof JobResults]> {
  switch (job.kind) {
    case 'prepare':
      return (await import('../read/prepare-file.ts')).prepareFile(job)
    case 'preview':
      return (await import('../read/prepare-file.ts')).previewFile(job)
    case 'page':
      return (await import('../query/read-page.ts')).readPage(job)
    case 'chart':
      return (await import('../query/read-chart.ts')).readChart(job)
    case 'order':
      return (await import('../query/write-order.ts')).writeOrder(job).then(() => null)
    case 'query':
      return (await import('../query/run-query.ts')).runQuery(job)
    case 'export': {
      const { exportSheet } = await import('../export/export-sheet.ts')
      return exportSheet(job, sendPiece).then(() => null)
    }
    case 'export_rows': {
      const { exportRows } = await import('../export/export-rows.ts')
      return exportRows(job, sendPiece).then(() => null)
    }
  }
}

async function warmUp(): Promise<void> {
  await Promise.all([
    import('../read/prepare-file.ts'),
    import('../csv/csv-source.ts'),
    import('../query/read-page.ts'),
  ])
  keepPrograms()
}

/** Loads everything that any job may need, for later workers. */
async function compile(): Promise<void> {
  const { READERS } = await import('../read/prepare-file.ts')
  await Promise.allSettled([
    warmUp(),
    ...Object.values(READERS).map((load) => load()),
    import('../query/run-query.ts'),
    import('../query/read-chart.ts'),
    import('../export/export-sheet.ts'),
  ])
  flushCompileCache()
  process.kill(process.pid, 'SIGKILL')
}

/** Explicitly, because this process is killed and never exits. */
function keepPrograms(): void {
  if (kept) return
  kept = true
  flushCompileCache()
}

/** Waits when the reader is behind: memory must not grow with pieces that it hasn't taken. */
async function sendPiece(piece: Uint8Array): Promise<void> {
  while (ahead >= PIECES_AHEAD) await new Promise<void>((resolve) => (onTaken = resolve))
  ahead++
  process.send?.({ piece } satisfies TablePiece)
}
