import os from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { tool } from '../../tool.ts'
import { readCpuTimes, share } from '../linux/cpu-times.ts'
import { pressureSentence } from '../linux/pressure.ts'
import { readKernelFile, requireLinux } from '../linux/proc.ts'

const SAMPLE_MS = 300

/** Measures current CPU use. */
export const cpuTool = tool({
  name: 'cpu',
  title: 'Processor',
  description:
    'Processor model, cores, use of every core measured over 0.3 s (percent), waiting for disks, time stolen by the hypervisor, frequency, load and ' +
    'pressure. For which program uses it, call "processes" with sort=cpu.',
  effect: 'read',
  input: z.strictObject({}),
  async run(_input, { signal }) {
    requireLinux('Processor figures')
    const before = new Map(readCpuTimes().map((times) => [times.name, times]))
    await setTimeout(SAMPLE_MS, undefined, { signal })
    const rows = readCpuTimes().flatMap((after) => {
      const first = before.get(after.name)
      if (first === undefined) return []
      const total = after.total - first.total
      return [
        {
          core: after.name === 'cpu' ? 'all' : after.name.slice(3),
          usage: share(after.busy - first.busy, total),
          iowait: share(after.iowait - first.iowait, total),
          steal: share(after.steal - first.steal, total),
          frequency: after.name === 'cpu' ? null : readFrequency(after.name),
        },
      ]
    })
    const model = os.cpus()[0]?.model.trim() || 'Unknown processor'
    const load = os
      .loadavg()
      .map((value) => value.toFixed(2))
      .join(', ')
    return {
      text: `${model}, ${rows.length - 1} cores, ${rows[0]?.usage ?? 0} % used over ${SAMPLE_MS} ms. Load ${load}. ${pressureSentence('cpu')}`,
      tables: [
        {
          title: 'Use per core',
          columns: [
            { key: 'core', label: 'Core', type: 'text' },
            { key: 'usage', label: 'Use', type: 'percent' },
            { key: 'iowait', label: 'Waiting for disks', type: 'percent' },
            { key: 'steal', label: 'Stolen', type: 'percent' },
            { key: 'frequency', label: 'Frequency (MHz)', type: 'integer' },
          ],
          rows,
        },
      ],
    }
  },
})

/** Current MHz; null when the kernel does not say (most virtual machines). */
function readFrequency(core: string): number | null {
  const kilohertz = readKernelFile(`/sys/devices/system/cpu/${core}/cpufreq/scaling_cur_freq`)
  if (kilohertz !== null) return Math.round(Number(kilohertz) / 1000)
  const block = (readKernelFile('/proc/cpuinfo') ?? '')
    .split('\n\n')
    .find((text) => new RegExp(`^processor\\s*: ${core.slice(3)}$`, 'm').test(text))
  const megahertz = /^cpu MHz\s*: ([0-9.]+)/m.exec(block ?? '')?.[1]
  return megahertz === undefined ? null : Math.round(Number(megahertz))
}
