import { mkdir, lstat } from 'node:fs/promises'
import { hashOf } from '../../kernel/text/canonical.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { EVERYBODY } from '../connections/connection-rows.ts'
import { builtinSpec } from '../spec/builtin-spec.ts'
import { checkIntegrity } from '../bundle/signature/check-integrity.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { openRemote, openRemoteEvents } from '../spec/open-remote.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { launchOf } from './module-launch.ts'
import type { InstalledVersion, ModuleRecord } from './store/module-record.ts'
import { headersIn, remoteSecrets, signInOf, TOKEN } from './settings/remote-settings.ts'
import { openVariables } from './settings/launch-extras.ts'
import { memoryLimit } from './settings/memory-limit.ts'
import { fieldsOf, instancesOf, openSecrets, reachableNow, usableSettings } from './module-terms.ts'
import { refusedFolder } from './own-folders.ts'
import { obstacleOf } from './standing.ts'
import { readContent } from './store/module-store.ts'

/** What the host should run: every module that is enabled and that nothing prevents from running. */
export function specsOf(context: CatalogueContext, records: Iterable<ModuleRecord>): ModuleSpec[] {
  return [...records].flatMap((record) => {
    try {
      const runs = record.enabled && !record.removed && obstacleOf(context, record) === null
      return runs ? [specOf(context, record)] : []
    } catch (error) {
      // A module that cannot even be examined must not keep the others from running.
      context.log.error({ err: error, module: record.name }, 'module cannot be prepared')
      return []
    }
  })
}

function specOf(context: CatalogueContext, record: ModuleRecord): ModuleSpec {
  const opened = openSecrets(context.vault, record)
  const secrets = Object.values(opened)
  if (record.builtin !== null) return builtinSpec(record.builtin, builtinSettings(record, opened), secrets)
  if (record.current === null) return remoteSpec(context, record, opened)

  const { current } = record
  const variables = openVariables(context.vault, record)
  const launch = launchOf(context, record, opened, variables)
  const grants = reachableNow(record, opened)
  const limits = { memory_bytes: memoryLimit(context, record) }
  return {
    name: record.name,
    display_name: record.display_name,
    version: current.version,
    kind: 'bundle',
    reach: 'machine',
    singleton: instancesOf(record) === 'singleton',
    fingerprint: hashOf({ digest: current.digest, launch, grants, limits }),
    pins: record.pins,
    log_level: record.log_level,
    helpers: grants.helpers === true,
    secrets: [...secrets, ...Object.values(variables)],
    folders: grants.folders.map(({ path }) => path),
    probe: current.probe,
    onProbe: (probe) => keepProbe(context, record.name, current.digest, probe),
    prepare: (_signal, tell) => checkFiles(context, record.name, current, tell),
    async open(signal) {
      await makeDataFolder(launch.dataFolder)
      for (const { path } of grants.folders) {
        // Checked when it was granted and again now, because a link may lead elsewhere by now.
        const refused = await refusedFolder(path, context.dataFolder)
        if (refused !== null) throw new ModuleProblem(say`The folder ${path} ${refused}.`)
      }
      // The reason of its isolation names hosts, and is stored and shown.
      const saidNetwork = reachableNow(record, null).network
      return context.sandbox.start({ ...launch, saidNetwork }, grants, limits, signal)
    },
  }
}

function remoteSpec(
  { connections }: CatalogueContext,
  record: ModuleRecord,
  opened: Readonly<Record<string, string>>,
): ModuleSpec {
  const { name, allow_private, connection } = record
  const url = record.url ?? ''
  const mode = signInOf(record)
  const token = mode === null ? (opened[TOKEN] ?? null) : null
  const headers = headersIn(opened)
  const options = { url, token, headers, allow_private }
  const secrets = remoteSecrets(opened)
  const opening = (owner: string) => {
    const own = mode === null ? options : { ...options, access: connections.access(name, owner) }
    return {
      open: (signal: AbortSignal) => openRemote({ ...own, signal }),
      openOld: (signal: AbortSignal) => openRemoteEvents({ ...own, signal }),
    }
  }
  return {
    name,
    display_name: record.display_name,
    version: '',
    kind: 'remote',
    reach: 'machine',
    fingerprint: hashOf({
      url,
      allow_private,
      token,
      headers: [...headers],
      mode,
      since: connection?.connected_at ?? null,
    }),
    pins: record.pins,
    log_level: record.log_level,
    secrets: mode === null ? secrets : connections.maskedFor(name, secrets),
    probe: undefined,
    onProbe: () => undefined,
    ...opening(EVERYBODY),
    ...(mode === 'person' && {
      personal: {
        lister: connection?.user_id ?? null,
        opening,
        since: (user_ids: readonly string[]) => connections.since(name, user_ids),
      },
    }),
  }
}

/** A built-in receives its values directly, so defaults are filled in here; for bundles `planLaunch` does that. */
function builtinSettings(record: ModuleRecord, secrets: Readonly<Record<string, string>>) {
  const defaults = fieldsOf(record).flatMap(({ key, default: value }) =>
    value === undefined ? [] : [[key, value] as const],
  )
  return { ...Object.fromEntries(defaults), ...usableSettings(record), ...secrets }
}

/** Unpacks the bundle if it is missing. Files that differ from the installation are never run. */
async function checkFiles(
  context: CatalogueContext,
  module: string,
  { digest }: InstalledVersion,
  tell: (phase: Sentence) => void,
): Promise<void> {
  // Enabling has just done it.
  if (context.compared.delete(digest)) return
  tell(say`Its files are being unpacked, where they are missing, and compared with those that were installed.`)
  const folder = await context.trees.ensure(digest)
  const content = await readContent(context.db.read, module, digest)
  if (content === null) throw new ModuleProblem(say`This version is no longer installed.`)
  const { modified, missing, added } = await checkIntegrity(folder, content.files)
  const changed = modified.length + missing.length + added.length
  if (changed === 0) return
  const problem =
    changed === 1
      ? say`Of its files 1 is not as installed. Repair it to unpack them again.`
      : say`Of its files ${changed} are not as installed. Repair it to unpack them again.`
  context.faults.set(module, { state: 'needs_review', problem, digest })
  // The host is in the middle of starting it, so it is taken away once that has failed.
  setImmediate(() => context.follow())
  throw new ModuleProblem(problem)
}

/** Refuses a link in the folder's place, which would lead writes and removals elsewhere. */
async function makeDataFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (!(await lstat(path)).isDirectory())
    throw new ModuleProblem(say`Its data folder was replaced by something else. Remove that.`)
}

/** Not awaited: without it only the next start is slower. */
function keepProbe(context: CatalogueContext, module: string, digest: string, probe: unknown): void {
  context.db.write
    .updateTable('module_version')
    .set({ probe: JSON.stringify(probe) })
    .where('module', '=', module)
    .where('digest', '=', digest)
    .execute()
    .catch((error: unknown) => context.log.warn({ err: error, module }, 'probe not kept'))
}
