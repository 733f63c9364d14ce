import type { ToolResult } from '../chat/tools.ts'
import { maskSecrets } from './mask-secrets.ts'

/** A result without the module's own secrets, in case a tool says them: they would end in the history and at the model. */
export function maskedResult(result: ToolResult, secrets: readonly string[]): ToolResult {
  if (secrets.length === 0) return result
  return {
    ...result,
    text: maskSecrets(result.text, secrets),
    tables: result.tables.map((table) => ({
      ...table,
      rows: table.rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([key, cell]) => [key, typeof cell === 'string' ? maskSecrets(cell, secrets) : cell]),
        ),
      ),
    })),
  }
}
