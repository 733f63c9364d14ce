import { mkdir, lstat } from 'node:fs/promises'
import { hashOf } from '../../kernel/canonical.ts'
import { builtinSpec } from '../builtin-spec.ts'
import { checkIntegrity } from '../bundle/check-integrity.ts'
import type { ModuleLink } from '../module-link.ts'
import type { ModuleSpec } from '../module-spec.ts'
import { openRemote } from '../open-remote.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { launchOf } from './module-launch.ts'
import type { InstalledVersion, ModuleRecord } from './module-record.ts'
import { effectiveGrants, fieldsOf, openSecrets, TOKEN, usableSettings } from './module-terms.ts'
import { refusedFolder } from './own-folders.ts'
import { obstacleOf } from './standing.ts'
import { readContent } from './module-store.ts'

const MIB = 1024 * 1024

/** What the host should run: every module that is enabled and that nothing stands against. */
export function specsOf(context: CatalogueContext, records: Iterable<ModuleRecord>): ModuleSpec[] {
  return [...records].flatMap((record) => {
    try {
      const runs = record.enabled && !record.removed && obstacleOf(context, record) === null
      return runs ? [specOf(context, record)] : []
    } catch (error) {
      // One that cannot even be looked at must not keep the others from running.
      context.log.error({ err: error, module: record.name }, 'module cannot be prepared')
      return []
    }
  })
}

function specOf(context: CatalogueContext, record: ModuleRecord): ModuleSpec {
  const opened = openSecrets(context.vault, record)
  const secrets = Object.values(opened)
  if (record.builtin !== null) return builtinSpec(record.builtin, builtinSettings(record, opened), secrets)
  if (record.current === null) return remoteSpec(context, record, opened[TOKEN] ?? null)

  const { current } = record
  const launch = launchOf(context, record, opened)
  const grants = effectiveGrants(record)
  const limits = { memory_bytes: context.policy().memory_mib * MIB }
  return {
    name: record.name,
    display_name: record.display_name,
    version: current.version,
    kind: 'bundle',
    fingerprint: hashOf({ digest: current.digest, launch, grants, limits }),
    pins: record.pins,
    secrets,
    folders: grants.folders.map(({ path }) => path),
    probe: current.probe,
    onProbe: (probe) => keepProbe(context, record.name, current.digest, probe),
    async open(signal) {
      await checkFiles(context, record.name, current)
      await makeDataFolder(launch.dataFolder)
      for (const { path } of grants.folders) {
        // Looked at when it was granted, and again now: a link may lead elsewhere by now.
        const refused = await refusedFolder(path, context.dataFolder)
        if (refused !== null) throw new Error(`The folder ${path} ${refused}.`)
      }
      return context.sandbox.start(launch, grants, limits, signal)
    },
  }
}

function remoteSpec(context: CatalogueContext, record: ModuleRecord, token: string | null): ModuleSpec {
  const url = record.url ?? ''
  const { allow_private } = record
  return {
    name: record.name,
    display_name: record.display_name,
    version: '',
    kind: 'remote',
    fingerprint: hashOf({ url, allow_private, token }),
    pins: record.pins,
    secrets: token === null ? [] : [token],
    probe: undefined,
    onProbe: () => undefined,
    open: (signal): Promise<ModuleLink> => openRemote({ url, token, allow_private, signal }),
  }
}

/** A built-in gets its values themselves, so defaults are filled in here; `planLaunch` does it for bundles. */
function builtinSettings(record: ModuleRecord, secrets: Readonly<Record<string, string>>) {
  const defaults = fieldsOf(record).flatMap(({ key, default: value }) =>
    value === undefined ? [] : [[key, value] as const],
  )
  return { ...Object.fromEntries(defaults), ...usableSettings(record), ...secrets }
}

/** Unpacks what is missing; files that are not as they were installed are never started. */
async function checkFiles(context: CatalogueContext, module: string, { digest }: InstalledVersion): Promise<void> {
  const folder = await context.trees.ensure(digest)
  const content = await readContent(context.db.read, module, digest)
  if (content === null) throw new Error('This version is no longer installed.')
  const { modified, missing, added } = await checkIntegrity(folder, content.files)
  const changed = modified.length + missing.length + added.length
  if (changed === 0) return
  const problem = `Of its files ${changed} ${changed === 1 ? 'is' : 'are'} not as installed. Repair it to unpack them again.`
  context.faults.set(module, { state: 'needs_review', problem, digest })
  // The host is in the middle of starting it: it is taken away once that has failed.
  setImmediate(() => context.follow())
  throw new Error(problem)
}

/** A link in its place would lead whoever writes or removes there astray. */
async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (!(await lstat(path)).isDirectory())
    throw new Error('Its data folder was replaced by something else. Remove that.')
}

/** Not knowing it only makes the next start slower, so nobody waits for it. */
function keepProbe(context: CatalogueContext, module: string, digest: string, probe: unknown): void {
  context.db.read
    .updateTable('module_version')
    .set({ probe: JSON.stringify(probe) })
    .where('module', '=', module)
    .where('digest', '=', digest)
    .execute()
    .catch((error: unknown) => context.log.warn({ err: error, module }, 'probe not kept'))
}
