import { z } from 'zod'
import type { Machine, MachineFacts } from '../../../server/modules/machines.ts'
import { parseLoad } from '../linux/cpu-info.ts'
import { parseKernelTable, readTexts } from '../linux/kernel-texts.ts'
import { findContainer, findVirtualization, VIRTUALIZATION_FILES } from '../linux/virtualization.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'
import { parseSysctl, SYSCTL } from '../unix/sysctl.ts'

const HOST_NAME = '/proc/sys/kernel/hostname'
const UPTIME = '/proc/uptime'
const LOAD = '/proc/loadavg'
const MEMORY = '/proc/meminfo'
/** Enough for the first processor of /proc/cpuinfo: all of them take long on a machine with hundreds. */
const TEXT_MAX = 16 * 1024

/** Summarises what machine this is and how it is doing. */
export const hostTool = machineTool({
  name: 'host',
  title: 'Host overview',
  description:
    'Identity and state of the machine Reeve runs on: host name, operating system, kernel, uptime, boot time, load, virtualisation or container, ' +
    'time zone and local time. Use it first for questions about "this server" in general.',
  effect: 'read',
  input: z.strictObject({}),
  async run(_input, { machine, signal }) {
    const known = await machine.facts(signal)
    const { system, release, architecture, os_release, account, reeve, clock } = known
    const state = await (system === 'Linux' ? linuxState(machine, signal) : otherState(machine, known, signal))
    const { host_name = known.host_name, load = 'unknown' } = state
    const distribution = os_release['PRETTY_NAME'] ?? `${system} ${release}`
    const now = new Date(Date.now() + clock.offset_ms)
    const up = state.uptime === undefined ? 'unknown' : spell(state.uptime)
    const cores = String(known.cores ?? 'unknown')
    const facts: [string, string][] = [
      ['Host name', host_name],
      ['Operating system', distribution],
      ['Kernel', `${system} ${release}`],
      ['Architecture', architecture],
      ['Cores', cores],
      ['Memory', state.memory === undefined ? 'unknown' : `${(state.memory / 1024 ** 3).toFixed(1)} GiB`],
      ['Uptime', up],
      ['Started at', state.uptime === undefined ? 'unknown' : second(now.getTime() - state.uptime * 1000)],
      ['Load (1, 5, 15 min)', load],
      ['Virtualisation', state.virtualization ?? 'none found'],
      ['Container', state.container ?? 'none found'],
      ...localTime(now, clock.time_zone),
      ['Runs as', `${accountName(account)}${reeve === null ? '' : ` (process ${reeve.pid})`}`],
    ]
    const columns = [
      { key: 'fact', label: 'Property', type: 'text' as const },
      { key: 'value', label: 'Value', type: 'text' as const },
    ]
    return {
      text: `${host_name} runs ${distribution}, up ${up}, load ${load} on ${cores} cores.`,
      tables: [{ title: 'Host', columns, rows: facts.map(([fact, value]) => ({ fact, value })) }],
    }
  },
})

/** What is not said is left out. */
interface HostState {
  readonly host_name?: string
  /** Seconds. */
  readonly uptime?: number
  readonly load?: string
  /** Bytes. */
  readonly memory?: number
  readonly virtualization?: string | null
  readonly container?: string | null
}

async function linuxState(machine: Machine, signal: AbortSignal): Promise<HostState> {
  const paths = [HOST_NAME, UPTIME, LOAD, MEMORY, ...VIRTUALIZATION_FILES]
  const texts = await readTexts(machine, paths, signal, TEXT_MAX)
  const uptime = Number.parseFloat(texts.text(UPTIME) ?? '')
  const load = parseLoad(texts.text(LOAD))
  const memory = parseKernelTable(texts.text(MEMORY)).get('MemTotal')
  const host_name = texts.trimmed(HOST_NAME)
  return {
    ...(host_name !== '' && { host_name }),
    ...(uptime >= 0 && uptime < 1e10 && { uptime }),
    ...(load !== null && { load }),
    ...(memory !== undefined && { memory }),
    virtualization: findVirtualization(texts),
    container: findContainer(texts),
  }
}

async function otherState(machine: Machine, { clock }: MachineFacts, signal: AbortSignal): Promise<HostState> {
  const answer = await askProgram(machine, SYSCTL, 10_000, signal)
  const { boot, load, memory } = parseSysctl(answer.stdout)
  return {
    ...(boot !== null && { uptime: Math.max(0, (Date.now() + clock.offset_ms - boot) / 1000) }),
    ...(load !== null && { load }),
    ...(memory !== null && { memory }),
  }
}

/** In UTC where the machine's zone is not known here. */
function localTime(now: Date, zone: string | null): [string, string][] {
  const text = (timeZone: string) => now.toLocaleString('sv-SE', { timeZone, timeZoneName: 'shortOffset' })
  try {
    return [
      ['Time zone', zone ?? 'unknown'],
      ['Local time', text(zone ?? 'UTC')],
    ]
  } catch {
    return [
      ['Time zone', zone ?? 'unknown'],
      ['Local time', text('UTC')],
    ]
  }
}

function accountName({ uid, name }: MachineFacts['account']): string {
  return name === String(uid) ? `user id ${uid}` : name
}

function second(epoch_ms: number): string {
  return new Date(epoch_ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

function spell(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const days = Math.floor(minutes / 1440)
  const rest = `${Math.floor((minutes % 1440) / 60)} h ${minutes % 60} min`
  return days === 0 ? rest : `${days} d ${rest}`
}
