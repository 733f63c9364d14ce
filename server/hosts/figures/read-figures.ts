import type { HostFigures } from '../../../contract/host-figures.ts'

/** One script, one round trip: parts with a line `--` between them. df is given up where a dead mount never answers. */
export const FIGURES_SCRIPT = `cat /proc/loadavg; echo --
grep -c '^cpu[0-9]' /proc/stat; echo --
grep -E '^Mem(Total|Available):' /proc/meminfo; echo --
timeout 5 df -Pk 2>/dev/null; echo --
[ -d /run/systemd/system ] && timeout 5 systemctl list-units --state=failed --type=service --plain --no-legend --no-pager 2>/dev/null && echo systemd; echo --
if [ -e /run/reboot-required ] || [ -e /var/run/reboot-required ]; then echo restart; fi
`

/** What it printed; hostile, like everything that a machine says. */
export function readFigures(text: string): Omit<HostFigures, 'at'> {
  const [load = '', cores = '', memory = '', disks = '', services = '', restart = ''] = text.split(/^--\n/m)
  return {
    load: numberIn(/^(\d{1,7}\.\d{1,4}) /.exec(load)),
    cores: numberIn(/^([1-9]\d{0,4})$/m.exec(cores)),
    memory: memoryIn(memory),
    disk: fullest(disks),
    failed_services: /^systemd$/m.test(services)
      ? services.split('\n').filter((line) => /^\W*\S+\.service\s+\S+\s+failed\s/.test(`${line} `)).length
      : null,
    restart_pending: restart.startsWith('restart'),
  }
}

function numberIn(found: RegExpExecArray | null): number | null {
  return found === null ? null : Number(found[1])
}

function memoryIn(text: string): HostFigures['memory'] {
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d{1,15}) kB$`, 'm').exec(text)?.[1] ?? NaN)
  const [total, available] = [kib('MemTotal'), kib('MemAvailable')]
  if (!(total > 0) || Number.isNaN(available)) return null
  return { used: Math.max(0, total - available) * 1024, total: total * 1024 }
}

/** Of disks: what is in memory, or full by design, is no news. */
function fullest(text: string): HostFigures['disk'] {
  let worst: HostFigures['disk'] = null
  for (const line of text.split('\n')) {
    const [, device = '', used = '', available = '', path = ''] =
      /^(\S+) +\d+ +(\d{1,15}) +(\d{1,15}) +\d+% (\/.*)$/.exec(line) ?? []
    if (!(/^\/dev\/(?!loop|sr\d)/.test(device) || (path === '/' && device !== 'tmpfs'))) continue
    const total = Number(used) + Number(available)
    if (total === 0) continue
    const disk = { path: path.slice(0, 200), used: Number(used) * 1024, total: total * 1024 }
    if (worst === null || disk.used / disk.total > worst.used / worst.total) worst = disk
  }
  return worst
}
