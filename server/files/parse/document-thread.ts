import { parentPort, workerData } from 'node:worker_threads'
import { say } from '../../kernel/sentence.ts'
import { DocumentError } from './document-error.ts'
import { parseDocument } from './parse-document.ts'
import type { DocumentAnswer, DocumentFormat, DocumentLimits } from './parsed-document.ts'

/** The thread that runs a parser, so that the process around it stays able to watch it and exit. */
const { format, bytes, limits } = workerData as { format: DocumentFormat; bytes: Uint8Array; limits: DocumentLimits }

async function answer(): Promise<DocumentAnswer> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const { detail, ...document } = await parseDocument(format, buffer, limits)
    return { ok: true, document, detail: detail?.pack() ?? null }
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, status: error.status, detail: error.detail.pack() }
    const detail =
      error instanceof RangeError
        ? say`Its content is nested too deeply or too large to be read.`
        : say`The file is damaged, or is not what its name says.`
    return { ok: false, status: 'failed', detail: detail.pack() }
  }
}

parentPort!.postMessage(await answer())
