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

const LIMIT_MS = 30_000

type PackageOrigin = BundleOrigin & { readonly kind: 'npm' | 'pypi' }

/** Asks the registry, once for each module that came from it. */
export async function findUpdates(
  context: CatalogueContext,
  language: string,
  signal: AbortSignal,
): Promise<ModuleUpdate[]> {
  const { npm, pypi } = context
  const from = [...context.records().values()].flatMap((record) => {
    const origin = originOf(record)
    const asked = origin?.kind === 'pypi' ? pypi : npm
    return origin === null || asked === null ? [] : [{ record, origin, version: record.current!.version }]
  })
  const kinds = new Set(from.map(({ origin }) => origin.kind))
  const until = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  await using stack = new AsyncDisposableStack()
  const newest = {
    npm: kinds.has('npm') ? await newestOfNpm(npm!, stack, until) : null,
    pypi: kinds.has('pypi') ? await newestOfPypi(context, stack, until) : null,
  }
  return await Promise.all(
    from.map(async ({ record, origin, version }): Promise<ModuleUpdate> => {
      try {
        const found = await newest[origin.kind]!(origin)
        const newer = found !== null && versionOrder(origin.kind)(found, version) > 0 ? found : null
        return { module: record.name, version, newer, problem: null }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof SourceError) && !until.aborted) throw error
        const problem = error instanceof SourceError ? error.detail : say`The registry did not answer in time.`
        return { module: record.name, version, newer: null, problem: problem.in(language) }
      }
    }),
  )
}

type Newest = (origin: PackageOrigin) => Promise<string | null>

async function newestOfNpm(npm: NpmRegistryOptions, stack: AsyncDisposableStack, signal: AbortSignal): Promise<Newest> {
  const [{ openNpmRegistry }, { pickVersion }] = await Promise.all([
    import('../../source/npm/npm-registry.ts'),
    import('../../source/npm/pick-version.ts'),
  ])
  const registry = stack.use(openNpmRegistry(npm))
  return async (origin) =>
    pickVersion(await registry.document(origin.name, { signal }), wantedOf(origin))?.version ?? null
}

/** One after the other: each is a process. */
async function newestOfPypi(
  { pypi, sandbox, trees }: CatalogueContext,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Newest> {
  const { newestPypi } = await import('../../source/pypi/pack-pypi.ts')
  const { folder } = stack.use(await trees.stage())
  const python = await sandbox.program('python3')
  let before: Promise<unknown> = Promise.resolve()
  return async (origin) => {
    const found = before.then(() =>
      newestPypi({ name: nameOf(origin), range: wantedOf(origin) }, { index: pypi!, python, folder, signal }),
    )
    before = found.catch(() => undefined)
    return found
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
