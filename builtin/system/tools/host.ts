import os from 'node:os'
import { z } from 'zod'
import { tool } from '../../tool.ts'
import { readKernelFile } from '../linux/proc.ts'
import { readContainer, readVirtualization } from '../linux/virtualization.ts'

/** Summarises what machine this is and how it is doing. */
export const hostTool = tool({
  name: 'host',
  title: 'Host overview',
  description:
    'Identity and state of the machine Reeve runs on: host name, operating system, kernel, uptime, boot time, load, virtualisation or container, ' +
    'time zone and local time. Use it first for questions about "this server" in general.',
  effect: 'read',
  input: z.strictObject({}),
  async run() {
    const now = new Date()
    const uptime = os.uptime()
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const load = os
      .loadavg()
      .map((value) => value.toFixed(2))
      .join(', ')
    const facts: [string, string][] = [
      ['Host name', os.hostname()],
      ['Operating system', distribution()],
      ['Kernel', `${os.type()} ${os.release()}`],
      ['Architecture', os.machine()],
      ['Cores', String(os.availableParallelism())],
      ['Memory', `${(os.totalmem() / 1024 ** 3).toFixed(1)} GiB`],
      ['Uptime', spell(uptime)],
      ['Started at', new Date(now.getTime() - uptime * 1000).toISOString().replace(/\.\d+Z$/, 'Z')],
      ['Load (1, 5, 15 min)', process.platform === 'win32' ? 'not measured on Windows' : load],
      ['Virtualisation', readVirtualization() ?? 'none found'],
      ['Container', readContainer() ?? 'none found'],
      ['Time zone', zone],
      ['Local time', now.toLocaleString('sv-SE', { timeZone: zone, timeZoneName: 'shortOffset' })],
      ['Runs as', `${userName()} (process ${process.pid})`],
    ]
    const columns = [
      { key: 'fact', label: 'Property', type: 'text' as const },
      { key: 'value', label: 'Value', type: 'text' as const },
    ]
    return {
      text: `${os.hostname()} runs ${distribution()}, up ${spell(uptime)}, load ${load} on ${os.availableParallelism()} cores.`,
      tables: [{ title: 'Host', columns, rows: facts.map(([fact, value]) => ({ fact, value })) }],
    }
  },
})

function distribution(): string {
  const text = readKernelFile('/etc/os-release')
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(text ?? '')?.[1] ?? `${os.version()} (${process.platform})`
}

function userName(): string {
  try {
    return os.userInfo().username
  } catch {
    // A container's user id often has no account.
    return `user id ${process.getuid?.() ?? 'unknown'}`
  }
}

function spell(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const days = Math.floor(minutes / 1440)
  const rest = `${Math.floor((minutes % 1440) / 60)} h ${minutes % 60} min`
  return days === 0 ? rest : `${days} d ${rest}`
}
