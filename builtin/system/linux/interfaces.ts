import type { Each, EachWanted } from '../../../server/modules/machines.ts'
import { countOf } from './kernel-texts.ts'

export const INTERFACES = '/sys/class/net'
export const INTERFACE_FILES: EachWanted = { files: ['operstate', 'address', 'mtu'], max: 200 }

/** Every network interface of /proc/net/dev, including those without an address; counters since boot. */
export function parseInterfaces(
  counted: string | null,
  directories: readonly Each[],
  addresses: ReadonlyMap<string, readonly string[]>,
) {
  const known = new Map(directories.map(({ name, files }) => [name, files]))
  const lines = (counted ?? '').trim().split('\n').slice(2)
  return lines.map((line) => {
    const [name = '', counters = ''] = line.trim().split(/:\s*/, 2)
    const [received = 0, , receiveErrors = 0, receiveDrops = 0, , , , , sent = 0, , sendErrors = 0, sendDrops = 0] =
      counters.trim().split(/\s+/).map(countOf)
    const read = (file: string) => known.get(name)?.[file]?.trim() ?? ''
    return {
      name,
      // The loopback interface reports its state as "unknown".
      state: name === 'lo' ? 'up' : read('operstate') || 'unknown',
      addresses: (addresses.get(name) ?? []).join(', '),
      mac: read('address'),
      mtu: countOf(read('mtu')) || null,
      received,
      sent,
      errors: receiveErrors + sendErrors,
      dropped: receiveDrops + sendDrops,
    }
  })
}
