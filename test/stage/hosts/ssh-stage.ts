import { openConnections, type SshConnections } from '../../../server/hosts/ssh/connections.ts'
import type { SshLimits } from '../../../server/hosts/ssh/target.ts'
import type { Command, CommandEnd, Machine, Outcome } from '../../../server/modules/machines.ts'
import { signInKey } from '../servers/ssh-server.ts'

/** All connections, as Reeve with the key of the tests. */
export function connectionsWith(limits: Partial<SshLimits> = {}, now: () => number = Date.now): SshConnections {
  return openConnections({ keys: () => Promise.resolve([signInKey.private_key]), limits, now })
}

/** For what is not about a limit. */
export const never = new AbortController().signal

export function command(argv: Command['argv'], more: Partial<Command> = {}): Command {
  return { argv, deadline_ms: 60_000, max_bytes: 100_000, ...more }
}

export function endOf(outcome: Outcome): CommandEnd {
  if (outcome.kind !== 'ended') throw new Error(`It has not ended: ${JSON.stringify(outcome)}`)
  return outcome
}

/** Runs a script of `/bin/sh` to its end. */
export async function sh(machine: Machine, script: string, more: Partial<Command> = {}): Promise<CommandEnd> {
  return endOf(await machine.run(command(['/bin/sh', '-c', script], more), never))
}
