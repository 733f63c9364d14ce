import { mkdir, readdir, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { storageFailure } from '../../../kernel/storage-failure.ts'
import { BundleError } from '../../bundle/bundle-error.ts'
import { packFolder } from '../../bundle/archive/pack-folder.ts'
import { removeTree } from '../../bundle/archive/remove-tree.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import type { BundleSettings } from '../bundle-settings.ts'
import { noRoom } from '../fetching.ts'
import type { PackProgress } from '../npm/pack-progress.ts'
import { PACK_LIMITS, type PackLimits, tooMuch } from '../pack-limits.ts'
import { SourceError } from '../source-error.ts'
import { type LockedWheel, MAIN_FILE, mainFile, PACKAGES_FOLDER, type PypiLock, pypiManifest } from './pypi-bundle.ts'
import { openPypiIndex, type PypiIndexOptions } from './pypi-index.ts'
import { type PipReport, pythonVersion, resolveWithPip } from './run-pip.ts'
import { unpackWheel } from './unpack-wheel.ts'
import { type FetchedWheel, openWheelRelay } from './wheel-relay.ts'

export interface PypiRequest {
  /** With extras, if any: `name[extra]`. */
  readonly name: string
  /** A version, or what pip takes for a range; the newest unless given. */
  readonly range?: string | undefined
  /** Which of its programs is started, for a package that has several. */
  readonly program?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly settings?: BundleSettings | undefined
}

export interface PypiOptions {
  readonly index: PypiIndexOptions
  /** The Python that modules are started with; null: there is none. */
  readonly python: string | null
  /** An existing folder to work in. Left in it is nothing but the bundle. */
  readonly folder: string
  readonly limits?: Partial<PackLimits> | undefined
  readonly signal?: AbortSignal | undefined
  progress?(step: PackProgress): void
}

export interface PackedPypi {
  readonly file: string
  readonly digest: string
  readonly version: string
  readonly lock: PypiLock
}

interface ChosenWheel {
  readonly about: PipReport['install'][number]['metadata']
  readonly wheel: FetchedWheel
}
interface Work {
  readonly folder: string
  readonly python: string
  readonly limits: PackLimits
  readonly signal: AbortSignal
  progress(step: PackProgress): void
}

const NAME = /^([A-Za-z0-9](?:[\w.-]{0,198}[A-Za-z0-9])?)(?:\[[\w.,-]{1,200}\])?$/
const RANGE = /^[\w.*+!<>=~, -]{1,200}$/

/**
 * Makes an MCP Bundle of a package of an index of Python packages and everything that it needs: wheels alone, chosen by pip
 * for this machine's Python, each compared with its digest. None of their code is run. The same wheels give the same bytes.
 * @throws {SourceError}, or the reason of the signal
 */
export async function packPypi(request: PypiRequest, options: PypiOptions): Promise<PackedPypi> {
  const { program, args = [], settings = {} } = request
  return within(options, async (work) => {
    const { version: python, chosen } = await choose(request, options, { ...work, alone: false })
    const tree = join(work.folder, 'tree')
    const packages = join(tree, PACKAGES_FOLDER)
    await mkdir(packages, { recursive: true })
    await unpackAll(chosen, packages, work)
    const [first] = chosen
    const { name, version } = first!.about
    const entry = await entryOf(packages, first!.about, program)
    const lock: PypiLock = {
      format: 1,
      kind: 'pypi',
      name: plainName(request.name),
      range: request.range ?? 'latest',
      version,
      registry: new URL(options.index.url).href,
      python,
      packages: chosen.map(locked),
    }
    await writeFile(join(tree, MAIN_FILE), mainFile(python, entry))
    await writeFile(join(tree, 'reeve-lock.json'), `${JSON.stringify(lock, null, 2)}\n`)
    const manifest = pypiManifest({ about: first!.about, program, args, settings, lock })
    await writeFile(join(tree, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    work.progress({ step: 'packing', done: chosen.length, total: chosen.length })
    work.signal.throwIfAborted()
    const file = join(options.folder, 'bundle.mcpb')
    const { digest } = await packFolder(tree, file)
    return { file, digest, version, lock, name }
  })
}

/** The version that would be packed now. @throws {SourceError}, or the reason of the signal */
export async function newestPypi(request: PypiRequest, options: PypiOptions): Promise<string> {
  return within(options, async (work) => {
    const { chosen } = await choose(request, options, { ...work, alone: true })
    return chosen[0]!.about.version
  })
}

async function within<T>(options: PypiOptions, job: (work: Work) => Promise<T>): Promise<T> {
  const limits = { ...PACK_LIMITS, ...options.limits }
  const late = AbortSignal.timeout(limits.time_ms)
  const signal = AbortSignal.any([late, ...(options.signal === undefined ? [] : [options.signal])])
  const folder = join(options.folder, 'work')
  const progress = options.progress ?? (() => undefined)
  try {
    await mkdir(folder)
    return await job({ folder, python: options.python ?? '', limits, signal, progress })
  } catch (error) {
    if (late.aborted && !options.signal?.aborted)
      throw new SourceError(
        'source_too_large',
        say`It took longer than ${Math.round(limits.time_ms / 60_000)} minutes and was given up.`,
      )
    if (storageFailure(error) === 'full') throw noRoom(error)
    if (error instanceof BundleError) throw new SourceError('source_refused', error.detail, { cause: error })
    throw error
  } finally {
    await removeTree(folder)
  }
}

/** What pip chooses, what was asked for first, the others by their names. */
async function choose(
  { name, range }: PypiRequest,
  options: PypiOptions,
  { folder, limits, signal, progress, alone }: Work & { readonly alone: boolean },
): Promise<{ version: string; chosen: ChosenWheel[] }> {
  const wanted = specifierOf(range)
  if (!NAME.test(name)) throw new SourceError('source_not_found', say`There is no package ${shownText(name)}.`)
  if (wanted === null)
    throw new SourceError('source_not_found', say`There is no version ${shownText(range ?? '')} of ${shownText(name)}.`)
  const version = await pythonVersion(options.python, folder, signal)
  const wheels = join(folder, 'wheels')
  await mkdir(wheels)
  await using index = openPypiIndex(options.index)
  const projects = (count: number): void => progress({ step: 'resolving', done: count, total: count })
  await using relay = await openWheelRelay({ index, folder: wheels, limits, signal, projects })
  const report = await resolveWithPip(`${name}${wanted}`, {
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
      say`No set of wheels for ${shownText(name)} was found that fits this machine (Python ${version}): ${report}`,
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
  chosen.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  if (chosen[0] === undefined || normal(chosen[0].about.name) !== root)
    throw new SourceError('source_refused', say`The index has another package under the name ${shownText(name)}.`)
  return { version, chosen }
}

/**
 * The versions that are wanted, as they follow the name; null for what is none: without an operator it would be the end of
 * another package's name.
 */
function specifierOf(range: string | undefined): string | null {
  if (range === undefined || range === 'latest') return ''
  if (!RANGE.test(range)) return null
  if (/^v?\d/.test(range)) return `==${range.replace(/^v/, '')}`
  return /^\s*(?:[=!~]=|[<>])/.test(range) ? range : null
}

async function unpackAll(chosen: readonly ChosenWheel[], folder: string, { limits, signal }: Work): Promise<void> {
  const taken = new Set<string>()
  let left = { unpackedBytes: limits.unpackedBytes, files: limits.files }
  for (const { about, wheel } of chosen)
    left = await unpackWheel(wheel.file, folder, { name: shownText(about.name), left, taken, signal })
}

/**
 * The program that a package starts by its name: its only one, or that of its own name; one that is asked for may also be of a
 * package that it needs.
 * @throws {SourceError}
 */
async function entryOf(
  folder: string,
  { name }: ChosenWheel['about'],
  wanted: string | undefined,
): Promise<{ module: string; attribute: string }> {
  const infos = (await readdir(folder)).filter((each) => each.endsWith('.dist-info'))
  const own = infos.filter((each) => normal(each.slice(0, each.indexOf('-'))) === normal(name))
  const programs = await programsIn(folder, own)
  const names = [...programs.keys()]
  const picked =
    wanted ?? (names.length === 1 ? names[0]! : (names.find((each) => normal(each) === normal(name)) ?? name))
  const found =
    programs.get(picked) ?? (wanted === undefined ? undefined : (await programsIn(folder, infos)).get(wanted))
  if (found !== undefined) return found
  const shown = shownText(name)
  throw new SourceError(
    'source_refused',
    names.length === 0
      ? say`The package ${shown} has no program that could be started.`
      : say`The package ${shown} has several programs, and none is named ${shownText(picked)}: ${shownText(names.join(', '), 300)}.`,
  )
}

async function programsIn(folder: string, infos: readonly string[]): Promise<ReturnType<typeof consoleScripts>> {
  const texts = infos.map((info) => readStart(join(folder, info, 'entry_points.txt')).catch(() => ''))
  return consoleScripts((await Promise.all(texts)).join('\n'))
}

const ENTRY_POINTS = 1024 * 1024
const ENTRY_LINE = 1000

/** As much of a file as lists of programs may have. */
async function readStart(file: string): Promise<string> {
  await using opened = await open(file)
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(ENTRY_POINTS), 0, ENTRY_POINTS, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

function consoleScripts(text: string): Map<string, { module: string; attribute: string }> {
  const found = new Map<string, { module: string; attribute: string }>()
  let section = ''
  for (const whole of text.split('\n')) {
    // A longer one is none that names a program, and its spaces would be tried in every way.
    if (whole.length > ENTRY_LINE) continue
    const line = whole.trim()
    const heading = /^\[(.+)\]$/.exec(line)
    if (heading !== null) section = heading[1]!.trim()
    const entry = /^([\w.-]+)\s*=\s*([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)\s*(?:\[.*\])?$/.exec(line)
    if (section === 'console_scripts' && entry !== null)
      found.set(entry[1]!, { module: entry[2]!, attribute: entry[3]! })
  }
  return found
}

function locked({ about: { name, version }, wheel }: ChosenWheel): LockedWheel {
  const { filename, url, sha256 } = wheel
  return { name, version, file: filename, resolved: url.replace(/[?#].*$/s, ''), sha256 }
}

function plainName(name: string): string {
  return name.replace(/\[.*$/, '')
}

/** As the index spells it (PEP 503). */
function normal(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}
