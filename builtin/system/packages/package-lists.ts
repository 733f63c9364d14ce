/** A package as the system has it. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  /** Bytes; null where the system does not say. */
  readonly size: number | null
  readonly held: boolean
}

/** A package of which there is a newer version. */
export interface Upgrade {
  readonly name: string
  readonly now: string
  readonly later: string
  readonly origin: string
}

/** Fields that `dpkg-query -W` is asked for, and `rpm -qa`. */
export const DPKG_FORMAT = '${Package}\\t${Version}\\t${Architecture}\\t${Installed-Size}\\t${db:Status-Abbrev}\\n'
export const RPM_FORMAT = '%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{ARCH}\\t%{SIZE}\\n'

/** Lines of `dpkg-query -W` in {@link DPKG_FORMAT}: those that are installed. */
export function parseDpkg(text: string): InstalledPackage[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', version = '', architecture = '', size = '', status = ''] = line.split('\t')
    if (name === '' || version === '' || status[1] !== 'i') return []
    const kilobytes = /^\d{1,12}$/.test(size) ? Number(size) : null
    const held = status.startsWith('h')
    return [{ name, version, architecture, size: kilobytes === null ? null : kilobytes * 1024, held }]
  })
}

/** Lines of `rpm -qa` in {@link RPM_FORMAT}. */
export function parseRpm(text: string): InstalledPackage[] {
  return text.split('\n').flatMap((line) => {
    const [name = '', version = '', architecture = '', size = ''] = line.split('\t')
    if (name === '' || version === '' || architecture === '') return []
    return [{ name, version, architecture, size: /^\d{1,15}$/.test(size) ? Number(size) : null, held: false }]
  })
}

/** Lines of `apk list -I`: `busybox-1.36.1-r5 x86_64 {busybox} (GPL-2.0-only) [installed]`. */
export function parseApk(text: string): InstalledPackage[] {
  return text.split('\n').flatMap((line) => {
    const [first = '', architecture = ''] = line.split(' ', 2)
    const named = nameAndVersion(first)
    if (named === null || !line.includes('[installed')) return []
    return [{ ...named, architecture, size: null, held: false }]
  })
}

/** Lines of `apk list -u`: `… [upgradable from: busybox-1.36.1-r4]`. */
export function parseApkUpgrades(text: string): Upgrade[] {
  return text.split('\n').flatMap((line) => {
    const named = nameAndVersion(line.split(' ', 1)[0] ?? '')
    const from = /\[upgradable from: (\S{1,300})\]/.exec(line.slice(0, 4000))
    if (named === null || from === null) return []
    return [{ name: named.name, now: nameAndVersion(from[1]!)?.version ?? '', later: named.version, origin: '' }]
  })
}

/** `dnf list` breaks lines that are long; this has one for each. The newest of a package comes last. */
export const DNF_FORMAT = String.raw`%{name} %{arch} %{evr} %{repoid}\n`

export function parseDnfUpgrades(text: string, installed: readonly InstalledPackage[]): Upgrade[] {
  const versions = new Map(installed.map(({ name, architecture, version }) => [`${name}.${architecture}`, version]))
  const found = text.split('\n').flatMap((line): [string, Upgrade][] => {
    const [name = '', architecture = '', later = '', origin = '', more] = line.slice(0, 1000).split(' ')
    if (origin === '' || more !== undefined) return []
    const which = `${name}.${architecture}`
    return [[which, { name, now: versions.get(which) ?? '', later: later.replace(/^0:/, ''), origin }]]
  })
  return [...new Map(found).values()]
}

/** Of `name-1.2-r3`: the version of Alpine's packages begins with a digit after the last dash but one. */
function nameAndVersion(text: string): { name: string; version: string } | null {
  const release = text.lastIndexOf('-r')
  const dash = text.lastIndexOf('-', release - 1)
  if (release < 1 || dash < 1) return null
  return { name: text.slice(0, dash), version: text.slice(dash + 1) }
}
