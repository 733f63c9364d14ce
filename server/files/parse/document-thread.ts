import { parentPort, workerData } from 'node:worker_threads'
import { DocumentError } from './document-error.ts'
import { parseDocument } from './parse-document.ts'
import type { DocumentAnswer, DocumentFormat, DocumentLimits } from './parsed-document.ts'

/** The thread that runs a parser, so that the process around it can always watch and end. */
const { format, bytes, limits } = workerData as { format: DocumentFormat; bytes: Uint8Array; limits: DocumentLimits }

async function answer(): Promise<DocumentAnswer> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return { ok: true, document: await parseDocument(format, buffer, limits) }
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, status: error.status, message: error.message }
    if (error instanceof RangeError)
      return { ok: false, status: 'failed', message: 'Its content is nested too deeply or too large to be read.' }
    return { ok: false, status: 'failed', message: 'The file is damaged, or is not what its name says.' }
  }
}

parentPort!.postMessage(await answer())
