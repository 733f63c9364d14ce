import type { CommandLoss, Machine } from '../../../server/modules/machines.ts'
import { UnknownOutcome } from '../../tool.ts'

const OUTPUT_LIMIT = 16 * 1024 * 1024

/**
 * What a program that only looks says, which is an error when it does not come whole or in time (its exit code is not).
 * @throws {Error} with a sentence for the person
 */
export async function askProgram(
  machine: Machine,
  argv: readonly [string, ...string[]],
  deadline_ms: number,
  signal: AbortSignal,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const program = argv[0] === 'env' ? (argv.find((word, index) => index > 0 && !word.includes('=')) ?? '') : argv[0]
  const end = await machine.run({ argv, deadline_ms, max_bytes: OUTPUT_LIMIT }, signal)
  if (end.kind === 'lost') throw lossOf(end)
  if (end.kind === 'refused')
    throw new Error(
      end.why === 'no_program' ? `There is no program "${program}" on this machine.` : `${program}: ${end.detail}`,
    )
  if (end.stopped === 'cancelled') throw new Error('Cancelled.')
  if (end.stopped === 'deadline') throw new Error(`${program} did not answer within ${deadline_ms / 1000} s.`)
  if (end.cut.stdout > 0) throw new Error(`${program} wrote more than ${OUTPUT_LIMIT / 1024 / 1024} MB.`)
  return { code: end.exit_code, stdout: end.stdout, stderr: end.stderr }
}

/** What a call says that lost its machine. */
export function lossOf({ lost, message }: CommandLoss): Error {
  return lost === 'unknown' ? new UnknownOutcome(message) : new Error(message)
}
