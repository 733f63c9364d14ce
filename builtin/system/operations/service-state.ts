import type { Machine } from '../../../server/modules/machines.ts'
import { askProgram } from '../programs/ask-program.ts'
import { parseShow } from '../programs/systemd-units.ts'

const DEADLINE_MS = 10_000
const PROPERTIES = [
  'Id',
  'Description',
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'MainPID',
  'NRestarts',
  'TriggeredBy',
  'Type',
  'Result',
]
const RUNNING = new Set(['active', 'reloading', 'refreshing', 'activating'])

export interface ServiceState {
  readonly running: boolean
  readonly at_boot: boolean
  /** As the system says it: `active (running)`. */
  readonly detail: string
  /** Number of its main process; 0 without one. */
  readonly pid: number
  /** How often it was started again by itself. */
  readonly restarts: number
  readonly triggered_by: string
  /** It is one that does its work and ends, and did. */
  readonly ended_well: boolean
}

/** @throws {Error} with a sentence where there is no such unit, or the system looks after services in another way */
export async function readService(machine: Machine, unit: string, signal: AbortSignal): Promise<ServiceState> {
  const { init } = await machine.facts(signal)
  if (init === 'openrc') return await readOpenrc(machine, unit, signal)
  if (init !== 'systemd')
    throw new Error(
      'How services are looked after on this system is not known here: it has neither systemd nor OpenRC.',
    )
  const argv = ['systemctl', 'show', `--property=${PROPERTIES.join(',')}`, '--no-pager', '--', unit] as const
  const { code, stdout, stderr } = await askProgram(machine, argv, DEADLINE_MS, signal)
  if (code !== 0) throw new Error(`systemctl failed: ${stderr.trim().slice(-500) || `exit code ${code}`}`)
  const properties = parseShow(stdout)[0] ?? new Map<string, string>()
  const property = (name: string) => properties.get(name) ?? ''
  if (property('LoadState') === 'masked') throw new Error(`${unit} is masked: nothing can start it.`)
  if (property('LoadState') !== 'loaded')
    throw new Error(
      `There is no unit ${unit} here${property('LoadState') === '' ? '' : ` (${property('LoadState')})`}.`,
    )
  return {
    running: RUNNING.has(property('ActiveState')),
    at_boot: property('UnitFileState').startsWith('enabled'),
    detail: `${property('ActiveState')} (${property('SubState')}), ${property('UnitFileState') || 'no unit file'} at boot`,
    pid: countOf(property('MainPID')),
    restarts: countOf(property('NRestarts')),
    triggered_by: property('TriggeredBy'),
    ended_well: property('Type') === 'oneshot' && property('Result') === 'success',
  }
}

/** OpenRC keeps what runs, and what runs at boot, as directories of links. */
async function readOpenrc(machine: Machine, unit: string, signal: AbortSignal): Promise<ServiceState> {
  const list = async (path: string) => {
    const entries = await machine.listDir(path, { max: 2000 }, signal)
    return typeof entries === 'string' ? [] : entries.map(({ name }) => name)
  }
  const folders = ['/etc/init.d', '/run/openrc/started', '/etc/runlevels/default']
  const [known = [], started = [], atBoot = []] = await Promise.all(folders.map(list))
  if (!known.includes(unit)) throw new Error(`There is no service ${unit} here.`)
  const running = started.includes(unit)
  const at_boot = atBoot.includes(unit)
  const detail = `${running ? 'started' : 'stopped'}, ${at_boot ? 'in' : 'not in'} the runlevel default`
  return { running, at_boot, detail, pid: 0, restarts: 0, triggered_by: '', ended_well: false }
}

/** The units that need this one and run now. */
export async function activeDependents(machine: Machine, unit: string, signal: AbortSignal): Promise<string[]> {
  if ((await machine.facts(signal)).init !== 'systemd') return []
  const list = ['systemctl', 'list-dependencies', '--reverse', '--plain', '--no-pager', '--', unit] as const
  const { code, stdout } = await askProgram(machine, list, DEADLINE_MS, signal)
  const names = stdout
    .split('\n')
    .flatMap((line) => /^[\s●○×↻*]*([\w@.:\\-]{1,200})$/.exec(line.slice(0, 300))?.[1] ?? [])
  // Targets are needed by everything at boot, and say nothing.
  const units = [...new Set(names)].filter((name) => name !== unit && !name.endsWith('.target')).slice(0, 200)
  if (code !== 0 || units.length === 0) return []
  const show = ['systemctl', 'show', '--property=Id,ActiveState', '--no-pager', '--', ...units] as const
  const states = await askProgram(machine, show, DEADLINE_MS, signal)
  return parseShow(states.stdout)
    .filter((state) => RUNNING.has(state.get('ActiveState') ?? ''))
    .map((state) => state.get('Id') ?? '')
    .sort()
}

/** The newest lines that the unit has logged, as far as this account may read them. */
export async function lastLines(machine: Machine, unit: string, signal: AbortSignal): Promise<string> {
  const argv = ['journalctl', '--quiet', '--no-pager', '--output=cat', '--lines=5', `--unit=${unit}`] as const
  const end = await machine.run({ argv, deadline_ms: DEADLINE_MS, max_bytes: 4000 }, signal)
  return end.kind === 'ended' ? end.stdout.trim().slice(-300) : ''
}

function countOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : 0
}
