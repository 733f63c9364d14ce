import type { ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { Secrets } from '../ports/secrets.ts'

type Stored = Pick<ToolCallTable, 'arguments' | 'arguments_sealed'>
type Arguments = Record<string, unknown>

/**
 * How a call's arguments are stored: with modules' secrets masked, as people, the search and the model will see them;
 * if that differs from the original, also exactly as requested but sealed, because the approved call must run with
 * them.
 */
export function storedArguments(secrets: Secrets, module: string, input: Arguments): Stored {
  const masked = secrets.mask(module, input)
  const sealed = masked === input ? null : secrets.seal(JSON.stringify(input))
  return { arguments: JSON.stringify(masked), arguments_sealed: sealed }
}

/** The arguments the call runs with. @throws {SealError} when they were sealed with another key */
export function exactArguments(secrets: Secrets, call: Stored): Arguments {
  const { arguments_sealed: sealed } = call
  return JSON.parse(sealed === null ? call.arguments : secrets.open(sealed)) as Arguments
}
