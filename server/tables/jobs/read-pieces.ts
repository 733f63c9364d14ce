import type { ChildProcess } from 'node:child_process'
import { TableError } from '../shape/table-error.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import type { PieceTaken, TableAnswer, TableJob, TablePiece } from '../shape/table-job.ts'

/**
 * Gives a worker a job and yields the pieces that it sends, in order. `release` is called once, as soon as the worker
 * is no longer needed; with true when it can take another job.
 */
export async function* readPieces(
  child: ChildProcess,
  job: TableJob,
  { ms, signal }: { ms: number; signal: AbortSignal },
  release: (reusable: boolean) => void,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = []
  const state: { outcome: TableError | 'complete' | null } = { outcome: null }
  let wake: (() => void) | null = null
  const settle = (result: TableError | 'complete', reusable = false): void => {
    state.outcome ??= result
    release(reusable)
    wake?.()
  }
  const onMessage = (message: TablePiece | TableAnswer): void => {
    if ('piece' in message) {
      pieces.push(message.piece)
      wake?.()
    } else if (message.ok) settle('complete', !message.last)
    else settle(new TableError(message.code, Sentence.unpack(message.detail)), !message.last)
  }
  const onExit = (): void =>
    settle(new TableError('failed', say`The process that reads tables ended in the middle of its work.`))
  const onAbort = (): void => settle(new TableError('cancelled', say`It was stopped.`))
  const onStall = (): void => settle(new TableError('timeout', say`Nothing was read for ${Math.round(ms / 1000)} s.`))
  const stalled = setTimeout(onStall, ms)
  child.on('message', onMessage)
  child.once('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    child.send(job, (error) => {
      if (error !== null) settle(new TableError('failed', say`The process that reads tables could not be reached.`))
    })
    for (;;) {
      if (state.outcome instanceof TableError) throw state.outcome
      const piece = pieces.shift()
      if (piece !== undefined) {
        yield piece
        stalled.refresh()
        if (child.connected && state.outcome === null) child.send({ kind: 'taken' } satisfies PieceTaken)
      } else if (state.outcome === 'complete') return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    clearTimeout(stalled)
    signal.removeEventListener('abort', onAbort)
    child.removeListener('message', onMessage)
    child.removeListener('exit', onExit)
  }
}
