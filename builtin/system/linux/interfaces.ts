import os from 'node:os'
import { readKernelFile } from './proc.ts'

/** Every network interface, including those without an address; counters since boot. */
export function readInterfaces() {
  const addresses = os.networkInterfaces()
  const lines = (readKernelFile('/proc/net/dev') ?? '').trim().split('\n').slice(2)
  return lines.map((line) => {
    const [name = '', counters = ''] = line.trim().split(/:\s*/, 2)
    const [received = 0, , receiveErrors = 0, receiveDrops = 0, , , , , sent = 0, , sendErrors = 0, sendDrops = 0] =
      counters.trim().split(/\s+/).map(Number)
    const read = (file: string) => readKernelFile(`/sys/class/net/${name}/${file}`)?.trim() ?? ''
    return {
      name,
      // The loopback interface reports its state as "unknown".
      state: name === 'lo' ? 'up' : read('operstate') || 'unknown',
      addresses: (addresses[name] ?? []).map((address) => address.cidr ?? address.address).join(', '),
      mac: read('address'),
      mtu: Number(read('mtu')) || null,
      received,
      sent,
      errors: receiveErrors + sendErrors,
      dropped: receiveDrops + sendDrops,
    }
  })
}
