import { call } from '../client/api.ts'
import type { CallOptions, Output } from '../client/api-types.ts'
import { queryClient } from '../client/query-client.ts'

type Import = CallOptions<'POST /api/quick-commands/import'>

/** The file is not JSON, so it was not sent. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError'
}

/** Downloads all commands as a file. */
export async function exportCommands(): Promise<void> {
  const file = await call('GET /api/quick-commands/export')
  const address = URL.createObjectURL(new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'quick-commands.json'
  link.click()
  // The download has started, but the browser may still be reading from the URL.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Imports an exported file; throws NotJsonError, or the server's refusal. */
export async function importCommands(
  file: File,
  onConflict: 'rename' | 'replace',
): Promise<Output<'POST /api/quick-commands/import'>> {
  let body: unknown
  try {
    body = JSON.parse(await file.text())
  } catch {
    throw new NotJsonError()
  }
  try {
    // The server says what is wrong and where.
    return await call('POST /api/quick-commands/import', {
      query: { on_conflict: onConflict },
      body: body as Import['body'],
    })
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['commands'] })
  }
}
