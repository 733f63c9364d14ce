import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { valid } from 'semver'
import type { ModuleUpdate } from '../../../../contract/module-additions.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { type BundleOrigin, bundleOrigin, versionOrder } from '../../bundle/manifest/bundle-origin.ts'
import { moduleSlug } from '../../bundle/manifest/module-slug.ts'
import type { NpmRegistryOptions } from '../../source/npm/npm-registry.ts'
import { PYTHON_ARGUMENTS } from '../../source/pypi/pypi-bundle.ts'
import { SourceError } from '../../source/source-error.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { fieldsOf } from '../module-terms.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import type { AdditionSource } from './additions.ts'

/** For each module from when it is asked about, and for all of them: one that is slow leaves time for the others. */
const ONE_MS = 25_000
const ALL_MS = 50_000
/** How many are asked about at the same time. For Python each is a process. */
const AT_ONCE = { npm: 16, pypi: 3 }

type PackageOrigin = BundleOrigin & { readonly kind: 'npm' | 'pypi' }

/** Asks the registry, once for each module that came from it. What keeps it from an answer is said of each by itself. */
export async function findUpdates(
  context: CatalogueContext,
  language: string,
  signal: AbortSignal,
): Promise<ModuleUpdate[]> {
  const { npm, pypi, log } = context
  const from = [...context.records().values()].flatMap((record) => {
    const origin = originOf(record)
    const asked = origin?.kind === 'pypi' ? pypi : npm
    return origin === null || asked === null ? [] : [{ record, origin, version: record.current!.version }]
  })
  const kinds = new Set(from.map(({ origin }) => origin.kind))
  const all = AbortSignal.any([signal, AbortSignal.timeout(ALL_MS)])
  await using stack = new AsyncDisposableStack()
  const newest = {
    npm: kinds.has('npm') ? await newestOfNpm(npm!, stack) : null,
    pypi: kinds.has('pypi') ? await newestOfPypi(context, stack) : null,
  }

  async function look({ record, origin, version }: (typeof from)[number]): Promise<ModuleUpdate> {
    const { name: module } = record
    const until = AbortSignal.any([all, AbortSignal.timeout(ONE_MS)])
    try {
      const found = await newest[origin.kind]!(origin, until)
      const newer = found !== null && versionOrder(origin.kind)(found, version) > 0 ? found : null
      return { module, version, newer, problem: null }
    } catch (error) {
      const known = error instanceof SourceError ? error.detail : null
      if (known === null && !until.aborted) log.error({ err: error, module }, 'an update was not looked for')
      const problem =
        known ??
        (until.aborted
          ? say`The registry did not answer in time.`
          : say`Something went wrong on the server. The log says what.`)
      return { module, version, newer: null, problem: problem.in(language) }
    }
  }

  const found = new Map<ModuleRecord, ModuleUpdate>()
  const lane = async (queue: Iterable<(typeof from)[number]>): Promise<void> => {
    for (const one of queue) found.set(one.record, await look(one))
  }
  await Promise.all(
    [...kinds].flatMap((kind) => {
      const queue = from.filter(({ origin }) => origin.kind === kind).values()
      return Array.from({ length: AT_ONCE[kind] }, () => lane(queue))
    }),
  )
  signal.throwIfAborted()
  return from.map(({ record }) => found.get(record)!)
}

type Newest = (origin: PackageOrigin, signal: AbortSignal) => Promise<string | null>

async function newestOfNpm(npm: NpmRegistryOptions, stack: AsyncDisposableStack): Promise<Newest> {
  const [{ openNpmRegistry }, { pickVersion }] = await Promise.all([
    import('../../source/npm/npm-registry.ts'),
    import('../../source/npm/pick-version.ts'),
  ])
  const registry = stack.use(openNpmRegistry(npm))
  return async (origin, signal) =>
    pickVersion(await registry.document(origin.name, { signal }), wantedOf(origin))?.version ?? null
}

async function newestOfPypi({ pypi, sandbox, trees }: CatalogueContext, stack: AsyncDisposableStack): Promise<Newest> {
  const { newestPypi } = await import('../../source/pypi/pack-pypi.ts')
  const staging = stack.use(await trees.stage())
  const python = await sandbox.program('python3')
  return async (origin, signal) => {
    const folder = await mkdtemp(join(staging.folder, 'find-'))
    return newestPypi({ name: nameOf(origin), range: wantedOf(origin) }, { index: pypi!, python, folder, signal })
  }
}

/** What to fetch for the newest version of a module. @throws {AppError} not_from_registry */
export function updateSource(record: ModuleRecord): AdditionSource {
  const origin = originOf(record)
  if (origin === null)
    throw new AppError(
      'not_from_registry',
      say`${record.name} did not come from a registry. Install a newer bundle of it.`,
    )
  const { mcp_config } = record.current!.manifest.server
  return {
    kind: origin.kind,
    name: nameOf(origin),
    range: wantedOf(origin),
    ...(origin.program !== undefined && { program: origin.program }),
    // What comes before, and the file itself, are of the packing.
    args: mcp_config?.args?.slice(ownArguments(origin)) ?? [],
    variables: fieldsOf(record).map(({ key, sensitive }) => ({ name: key, sensitive, value: '' })),
  }
}

/** As it was asked for: a Python package may be with extras. */
function nameOf({ name, extras }: PackageOrigin): string {
  return extras.length === 0 ? name : `${name}[${extras.join(',')}]`
}

/** How many arguments of the launch stand before those that were asked for. */
function ownArguments({ kind }: PackageOrigin): number {
  return kind === 'npm' ? 1 : PYTHON_ARGUMENTS
}

/** Whoever asked for one version asks for the newest when it is to be newer. */
function wantedOf({ kind, range }: PackageOrigin): string {
  const one = kind === 'npm' ? valid(range) !== null : /^(?:===?\s*|v)?\d[\w.+!-]*$/.test(range)
  return one ? 'latest' : range
}

/**
 * A bundle may claim any origin; only that of its own name could replace it. Of one that somebody sent there is nothing newer
 * to be found.
 */
function originOf({ name, current }: ModuleRecord): PackageOrigin | null {
  const origin = current === null ? null : bundleOrigin(current.manifest)
  if (origin === null || moduleSlug(origin.name) !== name) return null
  const { kind } = origin
  return kind === 'uv' ? null : { ...origin, kind }
}
