import { randomBytes } from 'node:crypto'
import type { Operation } from '../../../server/modules/machine-operation.ts'
import { operationId } from '../../../server/modules/operation-id.ts'
import { UnknownOutcome } from '../../tool.ts'
import type { MachineContext } from '../machine-tool.ts'
import { cutMiddle } from '../programs/cut-middle.ts'
import { helperMissing } from '../programs/helper-missing.ts'

/** Characters of what programs wrote that a model reads. */
const SHOWN = 20_000

/** It ran to its end; `ok`: with success. `output` is what programs wrote. */
interface Done {
  readonly ok: boolean
  readonly op_id: string
  /** A sentence, with the output. */
  readonly text: string
  readonly output: string
}

/**
 * Has the machine's reeve-op do something, once, and waits for its end.
 * @throws {Error} with a sentence when it was not done; {UnknownOutcome} nobody can tell how it ended
 */
export async function doOperation(context: MachineContext, operation: Operation, deadline_ms: number): Promise<Done> {
  const { machine, signal, tool_call_id } = context
  signal.throwIfAborted()
  // Another MCP client's calls have no id.
  const op_id = tool_call_id === '' ? randomBytes(16).toString('hex') : operationId(tool_call_id)
  const end = await machine.operate(operation, { op_id, deadline_ms }, signal)
  switch (end.kind) {
    case 'ended':
      return { ok: end.exit_code === 0, op_id, text: saidAtEnd(end.exit_code, end.text), output: end.text }
    case 'refused':
      throw new Error(`reeve-op refused it, and nothing was changed: ${end.text}`)
    case 'busy':
      throw new Error('Another operation is running on this machine, so nothing was done. Try again when it has ended.')
    case 'missing':
      throw new Error(helperMissing(machine, end.text))
    case 'running':
      throw new UnknownOutcome(
        `It goes on on the machine, and was not waited for any longer. ${later(op_id)}\n${cutMiddle(end.text, SHOWN)}`,
      )
    case 'interrupted':
      throw new UnknownOutcome(`It was interrupted on the machine, and how far it came is not known. ${end.text}`)
    case 'lost':
      throw end.lost === 'not_started'
        ? new Error(`It was not done: ${end.message}`)
        : new UnknownOutcome(
            `Whether it was done is not known, because the machine is silent: ${end.message} ${later(op_id)}`,
          )
  }
}

/** How it ended, in a sentence, with what its programs said. */
export function saidAtEnd(exit_code: number, output: string): string {
  const said = cutMiddle(output.trim(), SHOWN)
  const text = exit_code === 0 ? 'Done.' : `It failed with exit code ${exit_code}${reasonOf(output)}.`
  return said === '' ? text : `${text}\n${said}`
}

function later(op_id: string): string {
  return `The tool "operation" with id=${op_id} says later how it ended; do not repeat it before.`
}

const REASONS: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/No space left on device|not enough free space/i, 'the disk is full'],
  [/Read-only file system/i, 'the file system is read-only'],
  [/is masked/i, 'the unit is masked'],
  [/Could not get lock|Unable to acquire|is locked|another process/i, 'another program holds the lock'],
  [/dpkg was interrupted/i, 'dpkg was interrupted earlier: "package" with action=repair finishes that'],
  [/could not be found|not found|Unable to locate/i, 'there is no such thing'],
  [/The check of .* refused it/, 'its check refused it, and it is as it was before'],
]

/** What went wrong, where programs say it in words that are known. */
function reasonOf(text: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(text.slice(-SHOWN)))
  return known === undefined ? '' : `: ${known[1]}`
}
