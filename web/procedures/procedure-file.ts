import type { Procedure, ProcedureFile } from '../../contract/procedure-values.ts'
import { call } from '../client/api.ts'

/** Downloads a version as a file. */
export async function saveProcedureFile({ procedure_id, name }: Procedure, version: number): Promise<void> {
  const file = await call('GET /api/procedures/{procedure_id}/export', {
    params: { procedure_id },
    query: { version },
  })
  const address = URL.createObjectURL(new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').toLowerCase()}.json`
  link.click()
  // The download has started, but the browser may still be reading from the URL.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Makes a draft of a file. What is no JSON goes to the server as it is, which says so. */
export async function importProcedureFile(file: File) {
  const body = JSON.parse(await file.text()) as ProcedureFile
  return call('POST /api/procedures/import', { body })
}
