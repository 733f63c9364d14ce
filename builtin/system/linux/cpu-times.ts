import { countOf } from './kernel-texts.ts'

export interface CpuTimes {
  readonly name: string
  /** Ticks since boot. */
  readonly busy: number
  readonly iowait: number
  readonly steal: number
  readonly total: number
}

/** Of /proc/stat: the first is all cores together (`cpu`), then one per core (`cpu0` …). */
export function parseCpuTimes(text: string | null): CpuTimes[] {
  const lines = (text ?? '').split('\n').filter((line) => /^cpu\d*\s/.test(line))
  return lines.map((line) => {
    const [name = '', ...numbers] = line.trim().split(/\s+/)
    // guest and guest_nice (the last two) are already counted in user and nice. Before 2.6 there were only four.
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = numbers.map(countOf)
    const busy = user + nice + system + irq + softirq + steal
    return { name, busy, iowait, steal, total: busy + idle + iowait }
  })
}

/** Boot time of the kernel in epoch milliseconds, by the machine's clock; of /proc/stat. */
export function parseBootTime(text: string | null): number {
  return countOf(/^btime (\d{1,12})/m.exec(text ?? '')?.[1]) * 1000
}

/** CPU use in percent (0–100, one decimal) between two readings. */
export function share(part: number, total: number): number {
  return total > 0 ? Math.round(Math.min(Math.max(part / total, 0), 1) * 1000) / 10 : 0
}
