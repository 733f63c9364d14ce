import type { HostKey } from '../../contract/hosts.ts'
import { fingerprintOf, readHostKey } from './ssh/host-key.ts'

/** What people compare. `key`: the bytes of a host key in base64, as a row has them. */
export function shownKey(key: string): HostKey {
  return { algorithm: readHostKey(key)?.type ?? '', fingerprint: fingerprintOf(Buffer.from(key, 'base64')) }
}
