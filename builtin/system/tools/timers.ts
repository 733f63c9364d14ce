import { z } from 'zod'
import { parseBootTime } from '../linux/cpu-times.ts'
import { readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'
import { parseTimers, TIMER_PROPERTIES } from '../programs/systemd-timers.ts'

const BOOT = '/proc/stat'

/** Lists systemd's timers. */
export const timersTool = machineTool({
  name: 'timers',
  title: 'Timers',
  description:
    'systemd timers with what they start, when they are due next and when they ran last, soonest first. They are switched on and off with "service" (name.timer). Cron ' +
    'tables are files in /etc/cron.d and /etc/crontab.',
  effect: 'read',
  main_argument: 'filter',
  input: z.strictObject({
    filter: z.string().max(200).optional().describe('Only timers whose name or description contains this'),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ filter, limit }, { machine, signal }) {
    const { init } = await requireLinux(machine, 'Timers', signal)
    if (init !== 'systemd') return { text: 'systemd does not manage this machine, so it has no timers.', failed: true }
    const properties = `--property=${TIMER_PROPERTIES.join(',')}`
    const argv = ['systemctl', 'show', '*.timer', '--all', '--no-pager', properties] as const
    const ask = (more: readonly string[]) =>
      askProgram(machine, ['env', 'LC_ALL=C', 'TZ=UTC', ...argv, ...more], 10_000, signal)
    const [first, { text: read }] = await Promise.all([ask(['--timestamp=unix']), readTexts(machine, [BOOT], signal)])
    // Older ones don't know that option, and write times out.
    const { code, stdout, stderr } = first.code === 0 ? first : await ask([])
    if (code !== 0) return { text: `systemctl failed: ${stderr.trim() || `exit code ${code}`}`, failed: true }
    const all = parseTimers(stdout, parseBootTime(read(BOOT)))
    const wanted = filter?.toLowerCase() ?? ''
    const found = all.filter(({ timer, description }) => `${timer} ${description}`.toLowerCase().includes(wanted))
    return {
      text: `${all.length} timers, ${found.length} match.`,
      tables: [
        {
          title: 'Timers',
          columns: [
            { key: 'timer', label: 'Timer', type: 'text' },
            { key: 'starts', label: 'Starts', type: 'text' },
            { key: 'state', label: 'State', type: 'text' },
            { key: 'at_boot', label: 'At boot', type: 'text' },
            { key: 'next', label: 'Next', type: 'datetime' },
            { key: 'last', label: 'Last', type: 'datetime' },
            { key: 'description', label: 'Description', type: 'text' },
          ],
          rows: found.slice(0, limit).map((row) => ({ ...row })),
          total_rows: found.length,
        },
      ],
    }
  },
})
