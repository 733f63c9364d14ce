import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { tooMuch } from '../pack-limits.ts'
import type { PackingOptions, Work } from '../packing.ts'
import { SourceError } from '../source-error.ts'
import type { LockedWheel } from './pypi-bundle.ts'
import { openPypiIndex, type PypiIndexOptions } from './pypi-index.ts'
import { type PipReport, resolveWithPip } from './run-pip.ts'
import { unpackWheel } from './unpack-wheel.ts'
import { type FetchedWheel, openWheelRelay } from './wheel-relay.ts'

export interface PypiOptions extends PackingOptions {
  readonly index: PypiIndexOptions
  /** The Python that modules are started with; null: there is none. */
  readonly python: string | null
}

export interface ChosenWheel {
  readonly about: PipReport['install'][number]['metadata']
  readonly wheel: FetchedWheel
}
export interface WantedWheels {
  readonly requirements: readonly string[]
  /** What they must be if they are chosen, as `name==version`. */
  readonly constraints?: readonly string[] | undefined
  /** Of what is being packed. */
  readonly name: string
  /** The version of this machine's Python, such as `3.11`. */
  readonly python: string
}

/** What pip chooses, what was asked for first, the others by their names. */
export async function chooseWheels(
  { requirements, constraints, name, python }: WantedWheels,
  options: PypiOptions,
  { folder, limits, signal, progress, alone }: Work & { readonly alone: boolean },
): Promise<ChosenWheel[]> {
  const wheels = join(folder, 'wheels')
  await mkdir(wheels)
  await using index = openPypiIndex(options.index)
  const projects = (count: number): void => progress({ step: 'resolving', done: count, total: count })
  await using relay = await openWheelRelay({ index, folder: wheels, limits, signal, projects })
  const report = await resolveWithPip(requirements, {
    constraints,
    python: options.python!,
    index: relay,
    folder,
    alone,
    signal,
  })
  // pip takes an older version where a project could not be read: that is nothing to do in silence.
  if (relay.failure !== null) throw relay.failure
  if (typeof report === 'string') {
    throw new SourceError(
      'source_refused',
      say`No set of wheels for ${shownText(name)} was found that fits this machine (Python ${python}): ${report}`,
    )
  }
  if (report.install.length > limits.packages) throw tooMuch(limits)
  const chosen: ChosenWheel[] = []
  for (const { download_info, metadata } of report.install) {
    const wheel = await relay.wheel(download_info.url)
    if (wheel === null)
      throw new SourceError(
        'source_refused',
        say`${shownText(name)} needs “${shownText(metadata.name)}” from elsewhere, and only packages of the index are fetched.`,
      )
    chosen.push({ about: metadata, wheel })
    progress({ step: 'fetching', done: chosen.length, total: report.install.length })
  }
  const root = normal(plainName(name))
  const rank = ({ about }: ChosenWheel): string => (normal(about.name) === root ? '' : normal(about.name))
  return chosen.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

export async function unpackAll(
  chosen: readonly ChosenWheel[],
  folder: string,
  { limits, signal }: Work,
): Promise<void> {
  const taken = new Set<string>()
  let left = { unpackedBytes: limits.unpackedBytes, files: limits.files }
  for (const { about, wheel } of chosen)
    left = await unpackWheel(wheel.file, folder, { name: shownText(about.name), left, taken, signal })
}

export function locked({ about: { name, version }, wheel }: ChosenWheel): LockedWheel {
  const { filename, url, sha256 } = wheel
  return { name, version, file: filename, resolved: url.replace(/[?#].*$/s, ''), sha256 }
}

/** Without its extras. */
export function plainName(name: string): string {
  return name.replace(/\[.*$/, '')
}

/** The extras in a name. */
export function extrasOf(name: string): string[] {
  const [, list = ''] = /\[(.*)\]$/.exec(name) ?? []
  return list.split(',').filter(Boolean)
}

/** As the index spells it (PEP 503). */
export function normal(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}
