import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** A way to a machine's reeve-op. */
export interface HelperDoor {
  /**
   * A new connection: what is written to it up to its end is one request, what is read from it is the answer.
   * @throws {DoorShut} there is no reeve-op there, or it may not be asked; any other error: no connection.
   */
  open(signal: AbortSignal): Promise<Duplex>
}

/** The machine says that there is no way to reeve-op; the message is the machine's own. */
export class DoorShut extends Error {
  override readonly name = 'DoorShut'
}

/** Of reeve-op.socket. */
export const HELPER_SOCKET = '/run/reeve-op.sock'
const SHUT = ['ENOENT', 'EACCES', 'EPERM', 'ECONNREFUSED', 'ENOTSOCK']

/** The door on this machine: the socket of reeve-op.socket. */
export function localDoor(path = HELPER_SOCKET): HelperDoor {
  return {
    open: (signal) =>
      new Promise((fulfil, reject) => {
        const socket = connect({ path, signal, allowHalfOpen: true })
        socket.once('connect', () => fulfil(socket.off('error', failed)))
        const failed = (error: NodeJS.ErrnoException): void =>
          reject(SHUT.includes(error.code ?? '') ? new DoorShut(error.message, { cause: error }) : error)
        socket.once('error', failed)
      }),
  }
}
