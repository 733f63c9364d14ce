import { Worker } from 'node:worker_threads'
import { say } from '../../kernel/sentence.ts'
import type { DocumentAnswer, DocumentJob } from './parsed-document.ts'

/**
 * The process that reads one document: third-party parsers over untrusted bytes. It has no settings and no secrets, may
 * not write or start anything, and ends after its answer. The parser runs in a thread, so that this process can watch
 * how much memory it takes and notice when the service is gone.
 */
const MEMORY_CHECK_MS = 50
const MIB = 1024 * 1024

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.once('message', (job: DocumentJob) => {
  void read(job).then((answer) => process.send?.(answer))
})

async function read({ format, limits, memory, heap }: DocumentJob): Promise<DocumentAnswer> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  const bytes = new Uint8Array(Buffer.concat(pieces))
  return new Promise((resolve) => {
    const thread = new Worker(new URL('./document-thread.ts', import.meta.url), {
      workerData: { format, bytes, limits },
      transferList: [bytes.buffer],
      resourceLimits: { maxOldGenerationSizeMb: heap, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      stdout: true,
      stderr: true,
    })
    const tooLarge = (): void =>
      resolve({ ok: false, status: 'failed', detail: say`Reading it needs more memory than one file may use.`.pack() })
    setInterval(() => {
      if (process.memoryUsage.rss() > memory * MIB) tooLarge()
    }, MEMORY_CHECK_MS).unref()
    thread.once('message', resolve)
    thread.once('error', tooLarge)
    thread.once('exit', tooLarge)
  })
}
