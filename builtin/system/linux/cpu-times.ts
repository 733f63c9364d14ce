import { readKernelFile } from './proc.ts'

export interface CpuTimes {
  readonly name: string
  /** Ticks since boot. */
  readonly busy: number
  readonly iowait: number
  readonly steal: number
  readonly total: number
}

/** The first is all cores together (`cpu`), then one per core (`cpu0` …). */
export function readCpuTimes(): CpuTimes[] {
  const lines = (readKernelFile('/proc/stat') ?? '').split('\n').filter((line) => /^cpu\d*\s/.test(line))
  return lines.map((line) => {
    const [name = '', ...numbers] = line.trim().split(/\s+/)
    // guest and guest_nice (the last two) are already counted in user and nice.
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = numbers.map(Number)
    const busy = user + nice + system + irq + softirq + steal
    return { name, busy, iowait, steal, total: busy + idle + iowait }
  })
}

/** CPU use in percent (0–100, one decimal) between two readings. */
export function share(part: number, total: number): number {
  return total <= 0 ? 0 : Math.round(Math.min(Math.max(part / total, 0), 1) * 1000) / 10
}
