import { z } from 'zod'
import { tool } from '../../tool.ts'
import { readBlockDevices } from '../linux/block-devices.ts'
import { share } from '../linux/cpu-times.ts'
import { readCapacity, readMounts } from '../linux/mounts.ts'
import { pressureSentence } from '../linux/pressure.ts'
import { requireLinux } from '../linux/proc.ts'

/** Reports space on file systems, and their devices. */
export const disksTool = tool({
  name: 'disks',
  title: 'Disks',
  description:
    'Mounted file systems with size, used and available space (bytes, percent as in df) and inodes, and the block devices. Network mounts that do not ' +
    'answer are named, not waited for. Use it for "how full is the disk" and "which disks are there".',
  effect: 'read',
  input: z.strictObject({}),
  async run(_input, { signal }) {
    requireLinux('Disk figures')
    const mounts = readMounts()
    const capacities = await Promise.all(mounts.map((mount) => readCapacity(mount, signal)))
    signal.throwIfAborted()
    const silent = mounts.filter((_mount, index) => capacities[index] === null).map((mount) => mount.path)
    const rows = mounts.map((mount, index) => {
      const capacity = capacities[index] ?? null
      return {
        path: mount.path,
        source: mount.source,
        type: mount.type,
        size: capacity?.size ?? null,
        used: capacity?.used ?? null,
        available: capacity?.available ?? null,
        usage: capacity === null ? null : share(capacity.used, capacity.used + capacity.available),
        inodes: capacity === null || capacity.inodes === 0 ? null : share(capacity.inodesUsed, capacity.inodes),
        read_only: mount.readOnly,
      }
    })
    const full = rows
      .filter((row) => !row.read_only && ((row.usage ?? 0) >= 90 || (row.inodes ?? 0) >= 90))
      .map((row) => row.path)
    return {
      text: [
        `${rows.length} file systems.`,
        full.length > 0 ? `90 % full or more: ${full.join(', ')}.` : fullestSentence(rows),
        silent.length === 0 ? '' : `No answer from: ${silent.join(', ')}.`,
        pressureSentence('io'),
      ]
        .filter((text) => text !== '')
        .join(' '),
      tables: [
        {
          title: 'File systems',
          columns: [
            // What is looked for first, so that no narrow page cuts it off.
            { key: 'path', label: 'Mounted on', type: 'text' },
            { key: 'usage', label: 'Use', type: 'percent' },
            { key: 'available', label: 'Available', type: 'bytes' },
            { key: 'size', label: 'Size', type: 'bytes' },
            { key: 'used', label: 'Used', type: 'bytes' },
            { key: 'type', label: 'Type', type: 'text' },
            { key: 'source', label: 'Device', type: 'text' },
            { key: 'inodes', label: 'Inodes used', type: 'percent' },
            { key: 'read_only', label: 'Read-only', type: 'boolean' },
          ],
          rows,
        },
        {
          title: 'Block devices',
          columns: [
            { key: 'name', label: 'Device', type: 'text' },
            { key: 'model', label: 'Model', type: 'text' },
            { key: 'size', label: 'Size', type: 'bytes' },
            { key: 'rotational', label: 'Rotating', type: 'boolean' },
            { key: 'removable', label: 'Removable', type: 'boolean' },
            { key: 'read_only', label: 'Read-only', type: 'boolean' },
          ],
          rows: readBlockDevices().map(({ readOnly, ...device }) => ({ ...device, read_only: readOnly })),
        },
      ],
    }
  },
})

interface Space {
  readonly path: string
  readonly usage: number | null
  readonly available: number | null
  readonly read_only: boolean
}

/** Names the fullest file system that can be written; empty when none says how full it is. */
function fullestSentence(rows: readonly Space[]): string {
  const [fullest] = rows
    .filter((row) => !row.read_only && row.usage !== null)
    .toSorted((a, b) => (b.usage ?? 0) - (a.usage ?? 0))
  if (fullest === undefined) return ''
  return `The fullest is ${fullest.path}: ${fullest.usage} % used, ${((fullest.available ?? 0) / 1024 ** 3).toFixed(1)} GiB available.`
}
