import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { Each, EachWanted } from '../../../server/modules/machines.ts'
import { parseFrequencies, parseLoad, parseModel } from '../linux/cpu-info.ts'
import { parseCpuTimes, share } from '../linux/cpu-times.ts'
import { readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { pressureFile, pressureSentence } from '../linux/pressure.ts'
import { machineTool } from '../machine-tool.ts'

const SAMPLE_MS = 300
const TIMES = '/proc/stat'
const INFO = '/proc/cpuinfo'
const LOAD = '/proc/loadavg'
const PRESSURE = pressureFile('cpu')
const CORES = '/sys/devices/system/cpu'
const FREQUENCY: EachWanted = { files: ['cpufreq/scaling_cur_freq'], max: 40 }

/** Measures current CPU use. */
export const cpuTool = machineTool({
  name: 'cpu',
  title: 'Processor',
  description:
    'Processor model, cores, use of every core measured over 0.3 s (percent), waiting for disks, time stolen by the hypervisor, frequency, load and ' +
    'pressure. For which program uses it, call "processes" with sort=cpu.',
  effect: 'read',
  input: z.strictObject({}),
  async run(_input, { machine, signal }) {
    await requireLinux(machine, 'Processor figures', signal)
    const first = await readTexts(machine, [TIMES], signal)
    const before = new Map(parseCpuTimes(first.text(TIMES)).map((times) => [times.name, times]))
    await setTimeout(SAMPLE_MS, undefined, { signal })
    const [{ text }, cores] = await Promise.all([
      readTexts(machine, [TIMES, INFO, LOAD, PRESSURE], signal),
      machine.readEach(CORES, FREQUENCY, signal),
    ])
    const frequencies = new Map([...parseFrequencies(text(INFO)), ...scaledFrequencies(cores)])
    const rows = parseCpuTimes(text(TIMES)).flatMap((after) => {
      const earlier = before.get(after.name)
      if (earlier === undefined) return []
      const total = after.total - earlier.total
      return [
        {
          core: after.name === 'cpu' ? 'all' : after.name.slice(3),
          usage: share(after.busy - earlier.busy, total),
          iowait: share(after.iowait - earlier.iowait, total),
          steal: share(after.steal - earlier.steal, total),
          frequency: frequencies.get(after.name.slice(3)) ?? null,
        },
      ]
    })
    if (rows.length === 0) throw new Error(`This machine does not say what its processors do: ${TIMES} cannot be read.`)
    const model = parseModel(text(INFO)) ?? 'Unknown processor'
    const load = parseLoad(text(LOAD)) ?? 'unknown'
    return {
      text: `${model}, ${rows.length - 1} cores, ${rows[0]?.usage ?? 0} % used over ${SAMPLE_MS} ms. Load ${load}. ${pressureSentence(text(PRESSURE))}`,
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

/** Current MHz by the number of the core, where the kernel sets it; most virtual machines have nothing there. */
function scaledFrequencies(cores: readonly Each[]): [string, number][] {
  return cores.flatMap(({ name, files }) => {
    const kilohertz = Number(files['cpufreq/scaling_cur_freq'] ?? NaN)
    return /^cpu\d+$/.test(name) && Number.isFinite(kilohertz) ? [[name.slice(3), Math.round(kilohertz / 1000)]] : []
  })
}
