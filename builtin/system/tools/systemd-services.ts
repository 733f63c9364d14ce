import { z } from 'zod'
import { parseBootTime } from '../linux/cpu-times.ts'
import { readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'
import { parseUnits, UNIT_PROPERTIES } from '../programs/systemd-units.ts'

const FIRST = '/proc/1/comm'
const BOOT = '/proc/stat'

/** Reports the state of the machine's services. */
export const servicesTool = machineTool({
  name: 'services',
  title: 'Services',
  description:
    'systemd services with state, whether they start at boot, main process, memory and since when they run. Filter by state (failed is the one to look at in ' +
    'trouble) or by a part of the name. It only looks; to start or stop one use "service".',
  effect: 'read',
  main_argument: 'filter',
  input: z.strictObject({
    state: z.enum(['all', 'active', 'failed', 'inactive']).default('all'),
    filter: z.string().max(200).optional().describe('Only services whose name or description contains this'),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ state, filter, limit }, { machine, signal }) {
    const { init } = await requireLinux(machine, 'Services', signal)
    if (init !== 'systemd') {
      const first = (await readTexts(machine, [FIRST], signal)).trimmed(FIRST) || 'unknown'
      const text = `systemd does not manage this machine (process 1 is ${first}), so there are no services to list. Use "processes" to see what runs.`
      return { text, failed: true }
    }
    const argv = [
      'systemctl',
      'show',
      '*.service',
      '--all',
      '--no-pager',
      `--property=${UNIT_PROPERTIES.join(',')}`,
    ] as const
    const [{ code, stdout, stderr }, { text: read }] = await Promise.all([
      askProgram(machine, argv, 10_000, signal),
      readTexts(machine, [BOOT], signal),
    ])
    if (code !== 0) return { text: `systemctl failed: ${stderr.trim() || `exit code ${code}`}`, failed: true }
    const all = parseUnits(stdout, parseBootTime(read(BOOT)))
    const wanted = filter?.toLowerCase()
    const found = all.filter(
      (unit) =>
        (state === 'all' || unit.state === state) &&
        (wanted === undefined || `${unit.unit} ${unit.description}`.toLowerCase().includes(wanted)),
    )
    const bad = all.filter((unit) => unit.state === 'failed').map((unit) => unit.unit)
    return {
      text: `${all.length} services, ${found.length} match. ${bad.length === 0 ? 'None has failed.' : `Failed: ${bad.join(', ')}.`}`,
      tables: [
        {
          title: 'Services',
          columns: [
            { key: 'unit', label: 'Service', type: 'text' },
            { key: 'state', label: 'State', type: 'text' },
            { key: 'detail', label: 'Detail', type: 'text' },
            { key: 'at_boot', label: 'At boot', type: 'text' },
            { key: 'since', label: 'Running since', type: 'datetime' },
            { key: 'pid', label: 'Process', type: 'integer' },
            { key: 'memory', label: 'Memory', type: 'bytes' },
            { key: 'description', label: 'Description', type: 'text' },
          ],
          rows: found.slice(0, limit).map((unit) => ({ ...unit })),
          total_rows: found.length,
        },
      ],
    }
  },
})
