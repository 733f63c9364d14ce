import { moduleKey } from '../../db/running-calls.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { compatibility, type Compatibility } from '../bundle/manifest/compatibility.ts'
import { connectableOf } from './settings/connectable-of.ts'
import { lostConnections } from '../connections/connection-rows.ts'
import { Connections } from '../connections/connections.ts'
import { Backups } from './install/backups.ts'
import type { CatalogueContext, CatalogueOptions, ModuleFault } from './catalogue-context.ts'
import { busy, ModuleLocks } from './store/module-lock.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { specsOf } from './module-specs.ts'
import { refuseRunningCall } from './store/running-calls.ts'
import { packageOf } from './store/named-packages.ts'
import { readContent, readRecords } from './store/module-store.ts'
import { openPackageTrees } from './store/package-trees.ts'
import { DEFAULT_REQUIREMENTS, readRequirements } from './settings/module-requirements.ts'

const READ_ATTEMPTS = 3
const READ_AGAIN_MS = 2000

/**
 * Creates what every part of the catalogue uses. The rows are the source of truth: this is a copy of them, read again
 * after each change by this process or another. `allowed` says whether the host may be told yet.
 */
export async function openContext(options: CatalogueOptions, allowed: () => boolean): Promise<CatalogueContext> {
  const { db, host, log } = options
  const builtins = new Map(options.builtins.map((builtin) => [builtin.manifest.name, builtin]))
  const trials = new Map<string, ModuleRecord>()
  const paused = new Set<string>()
  const faults = new Map<string, ModuleFault>()
  const compatibilities = new Map<string, Compatibility>()
  let records = await readRecords(db.read, builtins)
  let requirements = DEFAULT_REQUIREMENTS
  let reading: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function read(): Promise<void> {
    const found = await readRecords(db.read, builtins)
    requirements = await readRequirements(db.read)
    for (const { name, current } of found.values()) {
      if (current === null || compatibilities.has(current.digest)) continue
      const content = await readContent(db.read, name, current.digest)
      compatibilities.set(current.digest, compatibility(current.manifest, content?.files ?? {}, content?.natives))
    }
    records = found
    context.follow()
  }

  /**
   * A caller during a read may have changed rows after they were read, so they are read once more, for all such callers
   * together.
   */
  function refresh(): Promise<void> {
    if (reading === null) return (reading = read().finally(() => (reading = null)))
    next ??= reading
      .catch(() => undefined)
      .then(() => {
        next = null
        return refresh()
      })
    return next
  }

  /** After a commit there is no way back: the change stands even if it cannot be read again right now. */
  async function refreshSurely(): Promise<void> {
    for (let attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
      try {
        return await refresh()
      } catch (error) {
        log.error({ err: error, attempt }, 'modules were not read again after a change')
      }
    }
    setTimeout(() => void refreshSurely(), READ_AGAIN_MS).unref()
  }

  const trees = await openPackageTrees({
    folder: options.folder,
    packages: options.packages,
    limits: options.limits,
    packageOf: (digest) => packageOf(db.read, digest),
  })
  const context: CatalogueContext = {
    ...options,
    builtins,
    trees,
    backups: new Backups(db, trees),
    locks: new ModuleLocks(),
    connections: new Connections(options, (name) => {
      const record = records.get(name)
      return record === undefined ? null : connectableOf(options.vault, record)
    }),
    faults,
    compared: new Set(),
    records: () => records,
    requirements: () => requirements,
    compatibility: (digest) => compatibilities.get(digest) ?? { ok: true, problem: null },
    refresh,
    refreshSurely,

    record(name) {
      const record = records.get(name)
      if (record === undefined || record.removed) throw new AppError('not_found', say`There is no such module.`)
      return record
    },

    async change(record, { caller, action, outcome = 'ok', details = {}, idle = false, work }) {
      await db.transaction(async (trx) => {
        await db.dialect.serialize(trx, moduleKey(record.name))
        const row = await trx
          .selectFrom('module')
          .select('updated_at')
          .where('module', '=', record.name)
          .executeTakeFirst()
        if ((row?.updated_at ?? 0) !== record.updated_at) throw busy(record.name)
        if (idle) await refuseRunningCall({ db, host }, record.name, trx)
        const lost = await lostConnections(trx, record.name)
        await work(trx, Math.max(Date.now(), record.updated_at + 1))
        await options.audit.record(trx, { actor: caller, action, target: record.name, outcome, details })
        const still = lost.length === 0 ? [] : await lostConnections(trx, record.name)
        const over = lost.filter(({ owner }) => !still.some((one) => one.owner === owner))
        await options.lost.end(trx, over)
        await options.onChanged(trx, record.name)
        db.wake(trx, 'modules')
      })
      await refreshSurely()
    },

    tryOut(trial) {
      trials.set(trial.name, trial)
      context.follow()
      return () => {
        if (trials.get(trial.name) !== trial) return
        trials.delete(trial.name)
        context.follow()
      }
    },

    pause(name) {
      paused.add(name)
      context.follow()
      return () => {
        paused.delete(name)
        context.follow()
      }
    },

    follow() {
      if (!allowed()) return
      const wanted = new Map([...records, ...trials])
      try {
        const specs = specsOf(context, wanted.values()).map((spec) => ({
          ...spec,
          ...(trials.has(spec.name) && { trial: true as const }),
          ...(paused.has(spec.name) && { paused: true as const }),
        }))
        host.apply(specs)
      } catch (error) {
        log.error({ err: error }, 'modules cannot be started')
      }
    },
  }
  requirements = await readRequirements(db.read)
  return context
}
