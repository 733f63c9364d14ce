import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { packFolder } from '../../bundle/archive/pack-folder.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import type { BundleSettings } from '../bundle-settings.ts'
import { packing, type Work } from '../packing.ts'
import { SourceError } from '../source-error.ts'
import {
  type ChosenWheel,
  chooseWheels,
  locked,
  extrasOf,
  normal,
  plainName,
  type PypiOptions,
  unpackAll,
} from './choose-wheels.ts'
import { type Program, programsIn } from './console-scripts.ts'
import { MAIN_FILE, mainFile, PACKAGES_FOLDER, type PypiLock, pypiManifest } from './pypi-bundle.ts'
import { pythonVersion } from './run-pip.ts'

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

export interface PackedPypi {
  readonly file: string
  readonly digest: string
  readonly version: string
  readonly lock: PypiLock
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
  return packing(options, async (work) => {
    const { version: python, chosen } = await choose(request, options, { ...work, alone: false })
    const tree = join(work.folder, 'tree')
    const packages = join(tree, PACKAGES_FOLDER)
    await mkdir(packages, { recursive: true })
    await unpackAll(chosen, packages, work)
    const [first] = chosen
    const { name, version } = first!.about
    const entry = await entryOf(packages, first!.about, program)
    const extras = extrasOf(request.name)
    const lock: PypiLock = {
      format: 1,
      kind: 'pypi',
      name: plainName(request.name),
      ...(extras.length > 0 && { extras }),
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
  return packing(options, async (work) => {
    const { chosen } = await choose(request, options, { ...work, alone: true })
    return chosen[0]!.about.version
  })
}

async function choose({ name, range }: PypiRequest, options: PypiOptions, work: Work & { readonly alone: boolean }) {
  if (!NAME.test(name)) throw new SourceError('source_not_found', say`There is no package ${shownText(name)}.`)
  const wanted = specifierOf(range)
  if (wanted === null)
    throw new SourceError('source_not_found', say`There is no version ${shownText(range ?? '')} of ${shownText(name)}.`)
  const python = await pythonVersion(options.python, work.folder, work.signal)
  const chosen = await chooseWheels({ requirements: [`${name}${wanted}`], name, python }, options, work)
  const [first] = chosen
  if (first === undefined || normal(first.about.name) !== normal(plainName(name)))
    throw new SourceError('source_refused', say`The index has another package under the name ${shownText(name)}.`)
  return { version: python, chosen }
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

/**
 * The program that a package starts by its name: its only one, or that of its own name; one that is asked for may also be of a
 * package that it needs.
 * @throws {SourceError}
 */
async function entryOf(folder: string, { name }: ChosenWheel['about'], wanted: string | undefined): Promise<Program> {
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
