import { MachineUnreachable } from '../../modules/machines.ts'
import { DoorShut, type HelperDoor } from '../reeve-op/door.ts'
import type { HostTarget } from './target.ts'
import type { Urgency, Way } from './way.ts'

/** The same machine, for the account whose key can do nothing but start reeve-op. */
export function doorTarget(target: HostTarget): HostTarget {
  return { ...target, host_id: doorId(target.host_id), account: 'reeve-op' }
}
export function doorId(host_id: string): string {
  return `${host_id} reeve-op`
}

/** The way to reeve-op on a machine: by a connection of its own, kept and shared like the other one. */
export function operationDoor(connectionOf: () => Way, urgency: Urgency = 'now'): HelperDoor {
  return {
    async open(signal) {
      try {
        return await (await connectionOf().session(urgency, signal)).door(signal)
      } catch (error) {
        // There is no such account, or its key is another one.
        if (error instanceof MachineUnreachable && error.state === 'sign_in_refused')
          throw new DoorShut(error.message, { cause: error })
        throw error
      }
    },
  }
}
