import { valid } from 'semver'
import type { ModuleUpdate } from '../../../../contract/module-additions.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { type BundleOrigin, bundleOrigin } from '../../bundle/manifest/bundle-origin.ts'
import { compareVersions } from '../../bundle/manifest/compare-versions.ts'
import { moduleSlug } from '../../bundle/manifest/module-slug.ts'
import { SourceError } from '../../source/source-error.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { fieldsOf } from '../module-terms.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import type { AdditionSource } from './additions.ts'

const LIMIT_MS = 30_000

/** Asks the registry, once for each module that came from it. */
export async function findUpdates(
  context: CatalogueContext,
  language: string,
  signal: AbortSignal,
): Promise<ModuleUpdate[]> {
  const { npm } = context
  const from = [...context.records().values()].flatMap((record) => {
    const origin = originOf(record)
    return origin === null ? [] : [{ record, origin, version: record.current!.version }]
  })
  if (from.length === 0 || npm === null) return []
  const [{ openNpmRegistry }, { pickVersion }] = await Promise.all([
    import('../../source/npm/npm-registry.ts'),
    import('../../source/npm/pick-version.ts'),
  ])
  await using registry = openNpmRegistry(npm)
  const until = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)])
  return await Promise.all(
    from.map(async ({ record, origin, version }): Promise<ModuleUpdate> => {
      try {
        const found =
          pickVersion(await registry.document(origin.name, { signal: until }), wantedOf(origin))?.version ?? null
        const newer = found !== null && compareVersions(found, version) > 0 ? found : null
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
    kind: 'npm',
    name: origin.name,
    range: wantedOf(origin),
    ...(origin.program !== undefined && { program: origin.program }),
    // The first one is the program itself.
    args: mcp_config?.args?.slice(1) ?? [],
    variables: fieldsOf(record).map(({ key, sensitive }) => ({ name: key, sensitive, value: '' })),
  }
}

/** Whoever asked for one version asks for the newest when it is to be newer. */
function wantedOf({ range }: BundleOrigin): string {
  return valid(range) === null ? range : 'latest'
}

/** A bundle may claim any origin; only that of its own name could replace it. */
function originOf({ name, current }: ModuleRecord): BundleOrigin | null {
  const origin = current === null ? null : bundleOrigin(current.manifest)
  return origin !== null && origin.kind === 'npm' && moduleSlug(origin.name) === name ? origin : null
}
