import type { Capabilities, WantedExtras } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { hashOf } from '../../../kernel/text/canonical.ts'
import { cut } from '../../../kernel/text/plain-text.ts'
import { checkIntegrity } from '../../bundle/signature/check-integrity.ts'
import { ModuleStartError } from '../../supervision/module-host.ts'
import { instructionsPin } from '../../mcp/instructions.ts'
import type { ModuleRuntime } from '../../spec/module-runtime.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { refuseOwnCall, refuseRunningCall } from '../store/running-calls.ts'
import { type ModuleRecord, versionOf } from '../store/module-record.ts'
import { saveExtras, withExtras } from '../settings/launch-extras.ts'
import { savePins, saveRow } from '../store/module-rows.ts'
import { readContent } from '../store/module-store.ts'
import { agreedGrants, consentOf } from '../module-terms.ts'
import { refuseOwnFolders } from '../own-folders.ts'
import { obstacleOf } from '../standing.ts'

/** How many of the last lines of standard error the refusal quotes. */
const LINES = 8

export interface EnableRequest {
  readonly grants?: Capabilities | undefined
  readonly extras?: WantedExtras | undefined
  /** Digest of the version that was reviewed. */
  readonly digest?: string | undefined
}

/**
 * Enables a module, which is the consent to what it runs and reaches. It is started first and recorded only once it is
 * up: a module that does not start stays as it was.
 * @throws {AppError} module_changed, module_incompatible, isolation_too_weak, module_start_failed, module_busy,
 * invalid_request
 */
export async function enableModule(
  context: CatalogueContext,
  name: string,
  { grants, extras, digest }: EnableRequest,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    if (digest !== undefined && digest !== record.current?.digest) {
      throw new AppError('module_changed', say`Another version was installed meanwhile. Review that one.`)
    }
    await refuseOwnFolders(grants?.folders ?? [], context.dataFolder, 'grants.folders')
    if (extras !== undefined && record.kind !== 'bundle')
      throw new AppError('not_a_bundle', say`Only to the launch of a bundle can something be added.`)
    const extended = extras === undefined ? record : withExtras(context.vault, record, extras)
    const asked: ModuleRecord = { ...extended, enabled: true, grants: grants ?? null }
    const wanted: ModuleRecord = record.kind === 'builtin' ? asked : { ...asked, consent: consentOf(asked) }
    await refuseChangedFiles(context, wanted)
    refuseObstacle(context, wanted)
    // Different grants restart it.
    const restarts =
      record.enabled && (extras !== undefined || hashOf(agreedGrants(record)) !== hashOf(agreedGrants(wanted)))
    if (restarts) await refuseRunningCall(context, name)

    const details = {
      version: versionOf(record),
      digest: record.current?.digest ?? null,
      grants: agreedGrants(wanted),
      ...(extras !== undefined && { extras: wanted.extras }),
    }
    if (restarts) refuseOwnCall(context, name)
    const endTrial = context.tryOut(wanted)
    try {
      const runtime = await context.host.started(name)
      await context.change(record, {
        caller,
        action: 'module.enabled',
        details,
        idle: restarts,
        async work(trx, now) {
          await saveRow(
            trx,
            record,
            { enabled: 1, consent: wanted.consent, grants: grants === undefined ? null : JSON.stringify(grants) },
            now,
          )
          if (extras !== undefined) await saveExtras(trx, record, wanted, now)
          if (record.kind !== 'builtin') await savePins(trx, name, whatToPin(record, runtime), now)
        },
      })
    } catch (error) {
      endTrial()
      if (!record.enabled) await context.host.stopped(name).catch(() => undefined)
      if (!(error instanceof ModuleStartError)) throw error
      await context.change(record, {
        caller,
        action: 'module.enabled',
        outcome: 'failed',
        details,
        work: async () => {},
      })
      throw startFailed(error)
    } finally {
      endTrial()
      // It may not have been started here, or not at all.
      if (record.current !== null) context.compared.delete(record.current.digest)
    }
  })
}

/**
 * The first enabling agrees to all tools and to what the module says about them; later, new or changed tools ask before each
 * call until each is agreed to, and new or changed words are not passed on.
 */
function whatToPin({ consent }: ModuleRecord, { tools, instructions }: ModuleRuntime) {
  if (consent !== null) return []
  return [...tools.filter(({ pin }) => pin !== 'missing'), ...(instructions ? [instructionsPin(instructions)] : [])]
}

function startFailed(error: ModuleStartError): AppError {
  const lines = cut(error.stderr.slice(-LINES).join('\n'), 3500)
  return new AppError(
    'module_start_failed',
    lines === '' ? error.detail : say`${error.detail} Its last output:\n${lines}`,
  )
}

async function refuseChangedFiles(context: CatalogueContext, { name, current }: ModuleRecord): Promise<void> {
  if (current === null) return
  const content = await readContent(context.db.read, name, current.digest)
  const folder = await context.trees.ensure(current.digest).catch((error: unknown) => {
    if (error instanceof AppError) throw new AppError('module_start_failed', error.detail)
    throw error
  })
  const { modified, missing, added } = await checkIntegrity(folder, content?.files ?? {})
  if (modified.length + missing.length + added.length > 0) {
    throw new AppError('module_start_failed', say`Its files are not as they were installed. Repair the module first.`)
  }
  context.faults.delete(name)
  context.compared.add(current.digest)
}

function refuseObstacle(context: CatalogueContext, wanted: ModuleRecord): void {
  const obstacle = obstacleOf(context, wanted)
  if (obstacle !== null) throw new AppError(obstacle.refusal, obstacle.problem)
}
