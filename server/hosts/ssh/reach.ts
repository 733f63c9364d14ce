import type { Duplex } from 'node:stream'
import { isIP } from 'node:net'
import { MachineUnreachable } from '../../modules/machines.ts'
import { ForbiddenAddress, mayBeMachine, openSocket, type Lookup } from './open-socket.ts'
import { plain } from './sign-in.ts'
import type { HostTarget, SshLimits } from './target.ts'
import type { Turns } from './turns.ts'
import type { Urgency, Way } from './way.ts'

/** What all connections share. */
export interface Surroundings {
  readonly limits: SshLimits
  readonly keys: () => Promise<readonly string[]>
  readonly lookup: Lookup | undefined
  readonly now: () => number
  readonly handshakes: Turns
  /** The connection of a machine on the way. */
  readonly connectionOf: (target: HostTarget) => Way
}

export type Place = Pick<HostTarget, 'name' | 'address' | 'port' | 'jump'>

/**
 * Opens a way to a machine, directly or through the one before it, and does with it what takes until somebody is signed
 * in: when it is its turn, and within the time for that. Rejects with MachineUnreachable whatever it was.
 */
export async function reach<T>(
  place: Place,
  around: Surroundings,
  urgency: Urgency,
  closing: AbortSignal,
  talk: (socket: Duplex, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { name, address, port, jump } = place
  const { limits, handshakes, lookup } = around
  using turns = new DisposableStack()
  try {
    // The other machine first: it needs a turn of its own.
    const before = jump === undefined ? null : await sessionOf(jump, name, around, urgency, closing)
    if (before !== null) turns.defer(await before.through.take(AbortSignal.any([closing, before.closed])))
    turns.defer(await handshakes.take(closing))
    const late = new AbortController()
    const why = new MachineUnreachable('unreachable', `${name} did not answer within ${limits.connect / 1000} s.`)
    const timer = setTimeout(() => late.abort(why), limits.connect)
    turns.defer(() => clearTimeout(timer))
    const signal = AbortSignal.any([closing, late.signal])
    if (before === null) return await talk(await openSocket(address, port, signal, lookup), signal)
    // Names are resolved by the machine before it; what is an address already is judged here.
    if (isIP(address) !== 0 && !mayBeMachine(address)) throw new ForbiddenAddress(address)
    return await talk(await before.tunnel(address, port, signal), signal)
  } catch (error) {
    if (error instanceof MachineUnreachable) throw error
    throw new MachineUnreachable('unreachable', `${name} cannot be reached: ${reasonOf(error)}.`)
  }
}

function sessionOf(jump: HostTarget, name: string, around: Surroundings, urgency: Urgency, closing: AbortSignal) {
  return around
    .connectionOf(jump)
    .session(urgency, closing)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new MachineUnreachable('unreachable', `${name} is reached through ${jump.name}, which fails: ${why}`)
    })
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections at this port',
  ECONNRESET: 'it ended the connection',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name is not known',
  ETIMEDOUT: 'it does not answer',
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (typeof code === 'string' && REASONS[code]) || plain(String(message ?? error))
}
