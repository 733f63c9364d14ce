import { isDeepStrictEqual } from 'node:util'
import { MachineUnreachable, type Machine } from '../../modules/machines.ts'
import type { There } from './ask.ts'
import { checkMachine } from './check-machine.ts'
import { Connection } from './connection.ts'
import type { Lookup } from './open-socket.ts'
import type { Surroundings } from './reach.ts'
import { scanKeys } from './scan.ts'
import type { HelperDoor } from '../reeve-op/door.ts'
import { doorId, doorTarget, operationDoor } from './operation-door.ts'
import { openMachine } from './ssh-machine.ts'
import { LIMITS, type HostCheck, type HostTarget, type ScannedKey, type SshLimits } from './target.ts'
import { Turns } from './turns.ts'
import type { Urgency } from './way.ts'

export interface ConnectionsOptions {
  /**
   * The private keys to sign in with, in OpenSSH's format, in the order in which they are tried: one, two while it changes,
   * none before there is one. Asked for with each attempt to connect, and kept nowhere.
   */
  readonly keys: () => Promise<readonly string[]>
  /** Epoch milliseconds. */
  readonly now?: () => number
  readonly limits?: Partial<SshLimits>
  /** Resolves a name; the system's resolver unless given. */
  readonly lookup?: Lookup
}

/** All machines over SSH. Knows no rows: whoever calls it says what they are. */
export interface SshConnections extends AsyncDisposable {
  /**
   * The port to a machine; connects to nothing. Callers share one connection per machine, made when it is first needed. A
   * target that differs from the last one of its id ends the connection to that. `background`: for samples that come again
   * by themselves. They wait for up to 5 minutes before they try again what could not be reached, others try at once;
   * nobody but {@link check} shows a key again to a machine that has refused it, or connects again to one that has changed
   * its host key.
   */
  machineOf(target: HostTarget, options?: { background?: boolean }): Machine
  /**
   * The host keys that a machine owns, one of each kind, without signing in or telling it an account. Rejects with
   * MachineUnreachable. `via`: the machine through which it is reached.
   */
  scan(address: string, port: number, via?: HostTarget, signal?: AbortSignal): Promise<readonly ScannedKey[]>
  /**
   * Connects and signs in, whatever has failed before, unless there is a connection, which is used; asks the machine what
   * it is. Never rejects but when `signal` aborts.
   */
  check(target: HostTarget, signal: AbortSignal): Promise<HostCheck>
  /** The way to the machine's reeve-op, by a connection of its own. `again`: a key that was refused is shown once more. */
  doorOf(target: HostTarget, urgency: Urgency): HelperDoor
  /** Ends the connection to a machine and forgets how attempts ended: it was removed, or Reeve's key has changed. */
  forget(host_id: string): void
}

/** Opens nothing: machines are connected to when something is asked of them. Disposing it ends all connections. */
export function openConnections(options: ConnectionsOptions): SshConnections {
  const limits = { ...LIMITS, ...options.limits }
  const connections = new Map<string, Connection>()
  const around: Surroundings = {
    limits,
    keys: options.keys,
    lookup: options.lookup,
    now: options.now ?? Date.now,
    handshakes: new Turns(limits.handshakes),
    connectionOf(target) {
      const known = connections.get(target.host_id)
      if (known !== undefined && isDeepStrictEqual(known.target, target)) return known
      known?.close()
      const connection = new Connection(target, around)
      connections.set(target.host_id, connection)
      return connection
    },
  }
  const forget = (host_id: string): void => {
    for (const id of [host_id, doorId(host_id)]) {
      connections.get(id)?.close()
      connections.delete(id)
    }
  }
  const closing = new AbortController()
  const doorOf = (target: HostTarget, urgency: Urgency): HelperDoor =>
    operationDoor(() => around.connectionOf(doorTarget(target)), urgency)
  const there = (target: HostTarget, urgency: Urgency): There => ({
    connection: around.connectionOf(target),
    door: doorOf(target, 'now'),
    urgency,
    limits,
  })

  return {
    machineOf: (target, { background = false } = {}) => openMachine(there(target, background ? 'background' : 'now')),
    scan: (address, port, via, signal = closing.signal) =>
      scanKeys({ name: address, address, port, jump: via }, around, AbortSignal.any([signal, closing.signal])),
    check: (target, signal) => checkMachine(there(target, 'again'), signal),
    doorOf,
    forget,
    async [Symbol.asyncDispose]() {
      closing.abort(new MachineUnreachable('unreachable', 'Reeve is stopping.'))
      for (const host_id of Array.from(connections.keys())) forget(host_id)
    },
  }
}
