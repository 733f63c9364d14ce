import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { FailedServices } from './failed-services.ts'

/** How busy and how full the machine is; null where that cannot be read, as outside Linux. */
export interface MachineState {
  /** Share of all cores that was busy since the last look, 0 to 1. */
  readonly cpu: number | null
  /** Bytes. What the kernel could hand out at once is not used. */
  readonly memory: { readonly used: number; readonly total: number } | null
  /** The fullest file system on a disk of this machine, in bytes that users can write. */
  readonly disk: { readonly path: string; readonly used: number; readonly total: number } | null
  /** Units of systemd that have failed; null where systemd does not manage the machine. */
  readonly failed_services: number | null
}

/** Always full by design, or in memory. */
const NO_DISK = new Set(['squashfs', 'iso9660', 'udf', 'tmpfs', 'devtmpfs', 'ramfs', 'erofs'])
/** File systems without a device of their own that hold data all the same. */
const WITHOUT_DEVICE = new Set(['overlay', 'zfs', 'btrfs'])
/** Two looks closer together would measure the looking. */
const LEAST_TICKS = 20

type Looker = 'sampler' | 'page'

interface Ticks {
  readonly busy: number
  readonly total: number
}

/** Reads the machine from /proc and from the file systems: no process is started, except to ask systemd now and then. */
export class MachineEye {
  readonly #dataFolder: string
  readonly #services: FailedServices
  readonly #seen: Record<Looker, { ticks: Ticks | null; cpu: number | null }>

  constructor(dataFolder: string, services = new FailedServices()) {
    this.#dataFolder = dataFolder
    this.#services = services
    const ticks = readTicks()
    this.#seen = { sampler: { ticks, cpu: null }, page: { ticks, cpu: null } }
  }

  /** `by`: whose last look it is since which the cores are measured, so that neither shortens the other's time. */
  async look(by: Looker): Promise<MachineState> {
    return {
      cpu: this.#cpuShare(by),
      memory: readMemory(),
      disk: await fullestDisk(this.#dataFolder),
      failed_services: await this.#services.count(),
    }
  }

  #cpuShare(by: Looker): number | null {
    const now = readTicks()
    const { ticks, cpu } = this.#seen[by]
    if (now === null || ticks === null) return null
    const total = now.total - ticks.total
    if (total < LEAST_TICKS) return cpu
    const share = Math.min(1, Math.max(0, (now.busy - ticks.busy) / total))
    this.#seen[by] = { ticks: now, cpu: share }
    return share
  }
}

function readKernel(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function readTicks(): Ticks | null {
  const line = /^cpu\s+(.*)$/m.exec(readKernel('/proc/stat') ?? '')?.[1]
  if (line === undefined) return null
  // guest and guest_nice, the last two, are part of user and nice.
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .map(Number)
  const busy = user + nice + system + irq + softirq + steal
  return { busy, total: busy + idle + iowait }
}

function readMemory(): MachineState['memory'] {
  const text = readKernel('/proc/meminfo') ?? ''
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? NaN)
  const [total, available] = [kib('MemTotal'), kib('MemAvailable')]
  return Number.isNaN(total + available) ? null : { used: (total - available) * 1024, total: total * 1024 }
}

/** Network file systems are left out: one that has gone away would never answer. */
async function fullestDisk(dataFolder: string): Promise<MachineState['disk']> {
  const places = new Map<string, string>()
  for (const line of (readKernel('/proc/self/mountinfo') ?? '').split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    const [, , device = '', , path = ''] = left.split(' ')
    const [type = '', source = ''] = right.split(' ')
    if (NO_DISK.has(type) || !(source.startsWith('/dev/') || WITHOUT_DEVICE.has(type))) continue
    if (!places.has(device)) places.set(device, path.replaceAll('\\040', ' '))
  }
  let fullest: MachineState['disk'] = null
  for (const path of new Set([...places.values(), dataFolder])) {
    const found = await statfs(path).catch(() => null)
    if (found === null || found.blocks === 0) continue
    const { blocks, bfree, bavail, bsize } = found
    // What is kept for root is neither used nor to be had.
    const [used, total] = [(blocks - bfree) * bsize, (blocks - bfree + bavail) * bsize]
    if (total > 0 && (fullest === null || used / total > fullest.used / fullest.total)) fullest = { path, used, total }
  }
  return fullest
}
