import { call } from '../api.ts'
import type { CallOptions, Output } from '../api-types.ts'
import { queryClient } from '../query-client.ts'

type Import = CallOptions<'POST /api/quick-commands/import'>

/** The file is no JSON, so it was not even sent. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError'
}

/** Saves all commands as a file of the browser's downloads. */
export async function exportCommands(): Promise<void> {
  const file = await call('GET /api/quick-commands/export')
  const address = URL.createObjectURL(new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'quick-commands.json'
  link.click()
  // The download has begun, but the browser may still read from it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Adds what an exported file holds; throws NotJsonError, or why the server refused it. */
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
    // The server says what is wrong with it, place by place.
    return await call('POST /api/quick-commands/import', {
      query: { on_conflict: onConflict },
      body: body as Import['body'],
    })
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['commands'] })
  }
}
