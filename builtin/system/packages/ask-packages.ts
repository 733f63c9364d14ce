import type { PlannedAction } from '../../../server/modules/machine-operation.ts'
import type { Machine } from '../../../server/modules/machines.ts'
import { planHash } from '../../../server/modules/plan-hash.ts'
import { askProgram } from '../programs/ask-program.ts'
import { helperMissing } from '../programs/helper-missing.ts'
import {
  DNF_FORMAT,
  DPKG_FORMAT,
  type InstalledPackage,
  parseApk,
  parseApkUpgrades,
  parseDnfUpgrades,
  parseDpkg,
  parseRpm,
  RPM_FORMAT,
  type Upgrade,
} from './package-lists.ts'
import { type PlannedPackage, planLines, readPlan } from './package-plan.ts'

export type Manager = 'apt' | 'dnf' | 'dnf5' | 'apk'
const DEADLINE_MS = 60_000
/** Whatever the account's language: what is parsed is in English. */
const ENGLISH = ['env', 'LC_ALL=C'] as const

/** @throws {Error} with a sentence where the packages are another system's */
export async function managerOf(machine: Machine, signal: AbortSignal): Promise<Manager> {
  const { package_manager: manager } = await machine.facts(signal)
  if (manager === 'apt' || manager === 'dnf' || manager === 'dnf5' || manager === 'apk') return manager
  throw new Error(
    `How packages are looked after on this system is not known here: ${manager === null ? 'there is none of' : `it has ${manager}, not`} apt, dnf or apk.`,
  )
}

/** What is installed, by name; where a name is not ordinary it is as the system spells it. */
export async function installedPackages(
  machine: Machine,
  manager: Manager,
  signal: AbortSignal,
): Promise<InstalledPackage[]> {
  if (manager === 'apt') return parseDpkg(await said(machine, ['dpkg-query', '-W', '-f', DPKG_FORMAT], signal))
  if (manager === 'apk') return parseApk(await said(machine, ['apk', 'list', '-I'], signal))
  return parseRpm(await said(machine, ['rpm', '-qa', '--qf', RPM_FORMAT], signal))
}

/** What could be upgraded, by what the system knows now: nothing is asked of the network. */
export async function upgradablePackages(
  machine: Machine,
  manager: Manager,
  installed: readonly InstalledPackage[],
  signal: AbortSignal,
): Promise<Upgrade[]> {
  if (manager === 'apt') {
    const text = await said(machine, ['apt-get', '-s', 'dist-upgrade'], signal)
    return readPlan('apt', planLines(text)).filter(({ act, now }) => act === 'install' && now !== '')
  }
  if (manager === 'apk') return parseApkUpgrades(await said(machine, ['apk', 'list', '-u'], signal))
  return parseDnfUpgrades(
    await said(machine, ['dnf', '-q', '-C', 'repoquery', '--upgrades', '--qf', DNF_FORMAT], signal),
    installed,
  )
}

export interface Plan {
  readonly packages: readonly PlannedPackage[]
  /** Of exactly these lines: reeve-op compares it with its own. */
  readonly hash: string
}

/**
 * What the package manager would do. apt simulates for anybody; dnf only for root, so reeve-op asks it, and apk.
 * @throws {Error} with what it says when it cannot
 */
export async function planPackages(
  machine: Machine,
  manager: Manager,
  wanted: { readonly action: PlannedAction; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<Plan> {
  const text =
    manager === 'apt' ? await said(machine, aptSimulation(wanted), signal) : await rootsPlan(machine, wanted, signal)
  const lines = planLines(text)
  const hash = planHash(lines.join('\n'))
  const packages = readPlan(manager, lines)
  if (manager === 'apt' || packages.every(({ act, now }) => act !== 'install' || now !== '')) return { packages, hash }
  // dnf does not say what is there now.
  const installed = new Map(
    (await installedPackages(machine, manager, signal)).map(({ name, version }) => [name, version]),
  )
  return { packages: packages.map((each) => ({ ...each, now: each.now || (installed.get(each.name) ?? '') })), hash }
}

function aptSimulation({ action, names }: { action: PlannedAction; names: readonly string[] }): [string, ...string[]] {
  if (action !== 'upgrade') return ['apt-get', '-s', action, '--', ...names]
  return names.length === 0
    ? ['apt-get', '-s', 'upgrade']
    : ['apt-get', '-s', 'install', '--only-upgrade', '--', ...names]
}

async function rootsPlan(
  machine: Machine,
  wanted: { readonly action: PlannedAction; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  const end = await machine.plan(wanted, signal)
  signal.throwIfAborted()
  switch (end.kind) {
    case 'ended':
      if (end.exit_code !== 0) throw new Error(reasonOf(end.text, ''))
      return end.text
    case 'refused':
      throw new Error(`reeve-op refused to ask the package manager: ${end.text}`)
    case 'missing':
      throw new Error(helperMissing(machine, end.text))
    case 'lost':
      throw new Error(`reeve-op could not be asked: ${end.message}`)
    case 'running':
    case 'busy':
    case 'interrupted':
      throw new Error('reeve-op did not say what the package manager would do.')
  }
}

/** Bytes to be fetched; null where the system does not say so beforehand. */
export async function downloadSize(
  machine: Machine,
  { action, names }: { readonly action: PlannedAction; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<number | null> {
  if (action === 'remove') return 0
  const [first, , ...rest] = aptSimulation({ action, names })
  const { code, stdout } = await askProgram(machine, [first, '-qq', '--print-uris', ...rest], DEADLINE_MS, signal)
  if (code !== 0) return null
  // 'uri' name size hash
  const sizes = [...stdout.matchAll(/^'[^']{1,2000}' \S{1,300} (\d{1,12})(?: |$)/gm)].map(([, size]) => Number(size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function said(machine: Machine, argv: readonly [string, ...string[]], signal: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await askProgram(machine, [...ENGLISH, ...argv], DEADLINE_MS, signal)
  if (code !== 0) throw new Error(reasonOf(stdout, stderr))
  return stdout
}

/** The lines with which it says why it cannot, else the last ones. */
function reasonOf(stdout: string, stderr: string): string {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
  const errors = lines.filter((line) => /^(?:E:|error|ERROR)/i.test(line))
  return (errors.length > 0 ? errors : lines).slice(-10).join('\n').slice(-2000) || 'It failed without a word.'
}
