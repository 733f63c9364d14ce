import type { MachineFacts } from '../../../modules/machines.ts'
import { parseOsRelease } from '../../os-release.ts'

/** Bytes of the answer. */
export const MOST_FACTS = 64 * 1024

const PACKAGES: Readonly<Record<string, MachineFacts['package_manager']>> = {
  'apt-get': 'apt',
  dnf5: 'dnf5',
  dnf: 'dnf',
  zypper: 'zypper',
  pacman: 'pacman',
  apk: 'apk',
  pkg: 'pkg',
}

/** Everything in one question. The clock first: the question's beginning was reported just before. */
export const FACTS_SCRIPT = `
k() { printf '%s=%s\\0' "$1" "$2"; }
c() { command -v "$1" >/dev/null 2>&1; }
t=$(date +%s%N 2>/dev/null); case $t in *[!0-9]*|'') t=$(date +%s)000000000 ;; esac; k time "$t"
k uname "$(uname -s; uname -r; uname -m; uname -n)"
k os "$(head -c 20000 /etc/os-release 2>/dev/null || head -c 20000 /usr/lib/os-release 2>/dev/null)"
k cores "$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null)"
if [ -d /run/systemd/system ]; then k init systemd; elif [ -e /run/openrc ]; then k init openrc; fi
for p in ${Object.keys(PACKAGES).join(' ')}; do if c "$p"; then k packages "$p"; break; fi; done
for p in sudo doas; do if c "$p"; then k elevation "$p"; break; fi; done
case $(ls --help 2>&1 | head -n 1) in *[Bb]usy[Bb]ox*) k busybox yes ;; esac
k boot "$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)"
z=$(readlink -f /etc/localtime 2>/dev/null || readlink /etc/localtime 2>/dev/null); k zone "\${z##*zoneinfo/}"; k zone2 "$(head -n 1 /etc/timezone 2>/dev/null)"
k uid "$(id -u)"; k account "$(id -un 2>/dev/null)"
exit 0`

const INITS: readonly string[] = ['systemd', 'openrc']
const ZONE = /^[A-Za-z][\w+-]*(\/[\w+-]+){0,2}$/

/** `sent` and `begun`: this process's clock when the question was asked, and when its beginning was reported. */
export function parseFacts(answer: string, sent: number, begun: number): MachineFacts {
  const facts = new Map<string, string>()
  for (const part of answer.split('\0')) {
    const [key = ''] = part.split('=', 1)
    facts.set(key, part.slice(key.length + 1))
  }
  const get = (key: string): string => facts.get(key)?.trim() ?? ''
  const [system = '', release = '', architecture = '', host_name = ''] = get('uname').split('\n').map(shown)
  const packages = get('packages')
  const elevation = get('elevation')
  const init = get('init')
  const zone = [get('zone'), get('zone2')].find((each) => ZONE.test(each))
  const time = Number(get('time')) / 1e6
  return {
    system,
    release,
    architecture,
    host_name,
    os_release: parseOsRelease(get('os')),
    cores: /^[1-9]\d{0,5}$/.test(get('cores')) ? Number(get('cores')) : null,
    init: system === 'Darwin' ? 'launchd' : INITS.includes(init) ? (init as MachineFacts['init']) : 'other',
    package_manager: PACKAGES[packages] ?? null,
    elevation: elevation === 'sudo' || elevation === 'doas' ? elevation : null,
    busybox: get('busybox') === 'yes',
    boot_id: /^[0-9a-f-]{36}$/.test(get('boot')) ? get('boot') : null,
    clock: { offset_ms: Number.isFinite(time) ? Math.round(time - (sent + begun) / 2) : 0, time_zone: zone ?? null },
    account: { uid: /^\d+$/.test(get('uid')) ? Number(get('uid')) : -1, name: shown(get('account')) || get('uid') },
    reeve: null,
  }
}

/** Names come from the machine, and end up in sentences. */
function shown(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, '').slice(0, 200)
}
