import { createHash } from 'node:crypto'

/**
 * The id of an operation of a call, 32 hexadecimal digits: the same call asks for the same one, whoever asks, so that it is
 * done once on each machine, and can be asked about later without anything having been stored beside the call.
 */
export function operationId(tool_call_id: string): string {
  return createHash('sha256').update(`system ${tool_call_id}`).digest('hex').slice(0, 32)
}
