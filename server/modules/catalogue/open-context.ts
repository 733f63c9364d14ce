import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { compatibility, type Compatibility } from '../bundle/compatibility.ts'
import { Backups } from './backups.ts'
import type { CatalogueContext, CatalogueOptions, ModuleFault } from './catalogue-context.ts'
import { busy, ModuleLocks } from './module-lock.ts'
import type { ModuleRecord } from './module-record.ts'
import { specsOf } from './module-specs.ts'
import { readContent, readRecords } from './module-store.ts'
import { openPackageTrees } from './package-trees.ts'
import { DEFAULT_POLICY, readPolicy } from './policy-settings.ts'

const READ_ATTEMPTS = 3
const READ_AGAIN_MS = 2000

/**
 * Makes what every part of the catalogue works with. The rows are the truth: what stands here is what they said last, read again after
 * each change, of this process or another. `allowed` says whether the host may be told yet.
 */
export async function openContext(options: CatalogueOptions, allowed: () => boolean): Promise<CatalogueContext> {
  const { db, host, log } = options
  const builtins = new Map(options.builtins.map((builtin) => [builtin.manifest.name, builtin]))
  const trials = new Map<string, ModuleRecord>()
  const faults = new Map<string, ModuleFault>()
  const compatibilities = new Map<string, Compatibility>()
  let records = await readRecords(db.read, builtins)
  let policy = DEFAULT_POLICY
  let reading: Promise<void> | null = null
  let next: Promise<void> | null = null

  async function read(): Promise<void> {
    const found = await readRecords(db.read, builtins)
    policy = await readPolicy(db.read)
    for (const { name, current } of found.values()) {
      if (current === null || compatibilities.has(current.digest)) continue
      const content = await readContent(db.read, name, current.digest)
      compatibilities.set(current.digest, compatibility(current.manifest, content?.files ?? {}, content?.natives))
    }
    records = found
    context.follow()
  }

  /** Whoever asks while rows are read may have changed some after that: it is read once more, for all of them together. */
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

  /** After a commit there is no way back: what was written is true, whether it can be read again just now or not. */
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

  const context: CatalogueContext = {
    ...options,
    builtins,
    trees: await openPackageTrees(options.folder, options.packages),
    backups: new Backups(options.folder),
    locks: new ModuleLocks(),
    faults,
    records: () => records,
    policy: () => policy,
    compatibility: (digest) => compatibilities.get(digest) ?? { ok: true, problem: null },
    refresh,
    refreshSurely,

    record(name) {
      const record = records.get(name)
      if (record === undefined || record.removed) throw new AppError('not_found', say`There is no such module.`)
      return record
    },

    async change(record, { caller, action, outcome = 'ok', details = {}, work }) {
      await db.transaction(async (trx) => {
        await db.dialect.serialize(trx, `module:${record.name}`)
        const row = await trx
          .selectFrom('module')
          .select('updated_at')
          .where('module', '=', record.name)
          .executeTakeFirst()
        if ((row?.updated_at ?? 0) !== record.updated_at) throw busy(record.name)
        await work(trx, Math.max(Date.now(), record.updated_at + 1))
        await options.audit.record(trx, { actor: caller, action, target: record.name, outcome, details })
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

    follow() {
      if (!allowed()) return
      const wanted = new Map([...records, ...trials])
      try {
        host.apply(specsOf(context, wanted.values()))
      } catch (error) {
        log.error({ err: error }, 'modules cannot be started')
      }
    },
  }
  policy = await readPolicy(db.read)
  return context
}
