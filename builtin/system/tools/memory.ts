import { z } from 'zod'
import { memoryLimitFiles, OWN_GROUPS, tightestLimit } from '../linux/cgroup.ts'
import { share } from '../linux/cpu-times.ts'
import { parseKernelTable, readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { pressureFile, pressureSentence } from '../linux/pressure.ts'
import { machineTool } from '../machine-tool.ts'

const MEMORY = '/proc/meminfo'
const PRESSURE = pressureFile('memory')

/** Reports memory and swap use. */
export const memoryTool = machineTool({
  name: 'memory',
  title: 'Memory',
  description:
    'Memory and swap: total, used, free, available (bytes), caches, the memory limit of the control group or container if there is one, and memory ' +
    'pressure. "Available" is what programs can still get without swapping. For which program uses it, call "processes" with sort=memory.',
  effect: 'read',
  input: z.strictObject({}),
  async run(_input, { machine, signal }) {
    await requireLinux(machine, 'Memory figures', signal)
    const { text } = await readTexts(machine, [MEMORY, PRESSURE, OWN_GROUPS], signal)
    const info = parseKernelTable(text(MEMORY))
    const of = (name: string) => info.get(name) ?? 0
    const total = of('MemTotal')
    if (total === 0) throw new Error(`This machine does not say how much memory it has: ${MEMORY} cannot be read.`)
    // Kernels before 3.14 have no MemAvailable.
    const available = info.get('MemAvailable') ?? of('MemFree') + of('Buffers') + of('Cached')
    const rows = [
      row(
        'Memory',
        total,
        total - available,
        of('MemFree'),
        available,
        of('Buffers') + of('Cached') + of('SReclaimable'),
      ),
      row('Swap', of('SwapTotal'), of('SwapTotal') - of('SwapFree'), of('SwapFree'), of('SwapFree'), of('SwapCached')),
    ]
    const limits = memoryLimitFiles(text(OWN_GROUPS))
    const limitFiles = limits.flat().flatMap(({ limit, used }) => [limit, used])
    const group = tightestLimit(limits, await readTexts(machine, limitFiles, signal, 100))
    if (group !== null)
      rows.push(
        row(
          'Limit of this control group',
          group.limit,
          group.used,
          group.limit - group.used,
          group.limit - group.used,
          null,
        ),
      )
    const swap =
      of('SwapTotal') === 0
        ? 'There is no swap.'
        : `Swap is ${share(of('SwapTotal') - of('SwapFree'), of('SwapTotal'))} % used.`
    return {
      text: `Memory is ${share(total - available, total)} % used. ${swap} ${pressureSentence(text(PRESSURE))}`,
      tables: [
        {
          title: 'Memory',
          columns: [
            { key: 'name', label: 'Kind', type: 'text' },
            { key: 'total', label: 'Total', type: 'bytes' },
            { key: 'used', label: 'Used', type: 'bytes' },
            { key: 'usage', label: 'Use', type: 'percent' },
            { key: 'free', label: 'Free', type: 'bytes' },
            { key: 'available', label: 'Available', type: 'bytes' },
            { key: 'cache', label: 'Caches', type: 'bytes' },
          ],
          rows,
        },
      ],
    }
  },
})

function row(name: string, total: number, used: number, free: number, available: number, cache: number | null) {
  return { name, total, used, usage: share(used, total), free, available, cache }
}
