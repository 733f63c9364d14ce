import { MachineUnreachable } from '../../modules/machines.ts'
import { algorithmsOf, fingerprintOf, KEY_TYPES, type KeyType } from './host-key.ts'
import { reach, type Place, type Surroundings } from './reach.ts'
import { KeyChanged, signIn } from './sign-in.ts'
import type { ScannedKey } from './target.ts'

/** Asks a machine for its key of each kind, one handshake each, that ends before anybody signs in. */
export async function scanKeys(
  place: Place,
  around: Surroundings,
  signal: AbortSignal,
): Promise<readonly ScannedKey[]> {
  const keys: ScannedKey[] = []
  for (const type of KEY_TYPES) {
    const key = await keyOf(type, place, around, signal)
    if (key !== null) keys.push({ type, key: key.toString('base64'), fingerprint: fingerprintOf(key) })
  }
  if (keys.length > 0) return keys
  throw new MachineUnreachable('unreachable', `${place.name} has no host key of a kind that Reeve accepts.`)
}

async function keyOf(type: KeyType, place: Place, around: Surroundings, signal: AbortSignal): Promise<Buffer | null> {
  let shown: Buffer | null = null
  const { limits } = around
  try {
    await reach(place, around, 'again', signal, (socket, limited) => {
      const accept = (key: Buffer) => {
        shown = key
        return true
      }
      const handshake = {
        name: place.name,
        socket,
        account: '',
        keys: [],
        offered: algorithmsOf(type),
        accept,
        ...limits,
      }
      return signIn(handshake, limited)
    })
    return shown
  } catch (error) {
    // It has none of this kind.
    if (error instanceof KeyChanged) return null
    throw error
  }
}
