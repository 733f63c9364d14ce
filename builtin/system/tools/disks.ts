import { z } from 'zod'
import type { Each, Machine, Space } from '../../../server/modules/machines.ts'
import { BLOCK_DEVICES, BLOCK_FILES, parseBlockDevices } from '../linux/block-devices.ts'
import { share } from '../linux/cpu-times.ts'
import { readTexts } from '../linux/kernel-texts.ts'
import { type Mount, parseMounts } from '../linux/mounts.ts'
import { pressureFile, pressureSentence } from '../linux/pressure.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'
import { DF, parseDf } from '../unix/df.ts'

const MOUNTS = '/proc/self/mountinfo'
const PRESSURE = pressureFile('io')
/** What has not said by then how full it is does not answer. */
const DEADLINE_MS = 1500

/** Reports space on file systems, and their devices. */
export const disksTool = machineTool({
  name: 'disks',
  title: 'Disks',
  description:
    'Mounted file systems with size, used and available space (bytes, percent as in df) and inodes, and the block devices. Network mounts that do not ' +
    'answer are named, not waited for. Use it for "how full is the disk" and "which disks are there".',
  effect: 'read',
  input: z.strictObject({}),
  async run(_input, { machine, signal }) {
    const { system } = await machine.facts(signal)
    const { mounts, spaces, devices, pressure } = await (system === 'Linux' ? linuxDisks : otherDisks)(machine, signal)
    const silent = mounts.filter(({ path }) => !spaces.has(path)).map(({ path }) => path)
    const rows = mounts.map((mount) => {
      const capacity = spaces.get(mount.path) ?? null
      return {
        path: mount.path,
        source: mount.source,
        type: mount.type,
        size: capacity?.size ?? null,
        used: capacity?.used ?? null,
        available: capacity?.available ?? null,
        usage: capacity === null ? null : share(capacity.used, capacity.used + capacity.available),
        inodes: capacity === null || capacity.inodes === 0 ? null : share(capacity.inodes_used, capacity.inodes),
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
        pressure,
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
          rows: parseBlockDevices(devices).map(({ readOnly, ...device }) => ({ ...device, read_only: readOnly })),
        },
      ],
    }
  },
})

interface Row {
  readonly path: string
  readonly usage: number | null
  readonly available: number | null
  readonly read_only: boolean
}

interface Disks {
  readonly mounts: readonly Mount[]
  /** By the path of the mount; what does not answer is not in it. */
  readonly spaces: ReadonlyMap<string, Space>
  readonly devices: readonly Each[]
  /** A sentence; empty where the system has no such figure. */
  readonly pressure: string
}

async function linuxDisks(machine: Machine, signal: AbortSignal): Promise<Disks> {
  const [{ text }, devices] = await Promise.all([
    readTexts(machine, [MOUNTS, PRESSURE], signal),
    machine.readEach(BLOCK_DEVICES, BLOCK_FILES, signal),
  ])
  // Kernels before 2.6.26 don't have it.
  if (text(MOUNTS) === null) return await otherDisks(machine, signal)
  const mounts = parseMounts(text(MOUNTS))
  const paths = mounts.map(({ path }) => path)
  const spaces = await machine.space(paths, DEADLINE_MS, signal)
  return { mounts, spaces, devices, pressure: pressureSentence(text(PRESSURE)) }
}

async function otherDisks(machine: Machine, signal: AbortSignal): Promise<Disks> {
  const mounts = parseDf((await askProgram(machine, DF, 10_000, signal)).stdout)
  return { mounts, spaces: new Map(mounts.map(({ path, space }) => [path, space])), devices: [], pressure: '' }
}

/** Names the fullest file system that can be written; empty when none says how full it is. */
function fullestSentence(rows: readonly Row[]): string {
  const [fullest] = rows
    .filter((row) => !row.read_only && row.usage !== null)
    .toSorted((a, b) => (b.usage ?? 0) - (a.usage ?? 0))
  if (fullest === undefined) return ''
  return `The fullest is ${fullest.path}: ${fullest.usage} % used, ${((fullest.available ?? 0) / 1024 ** 3).toFixed(1)} GiB available.`
}
