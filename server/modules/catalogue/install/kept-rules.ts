import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import type { RoleRule } from '../role-rules.ts'

export interface KeptRules {
  /** File name of the backup that keeps them. */
  readonly backup: string
  readonly rules: RoleRule[]
}

/**
 * The rules that allowed the tools of a module before it was removed, taken from the newest backup of exactly what is
 * installed now: another bundle of the same name gets nothing. Null when there are none or all of them exist again.
 */
export async function keptRules(
  context: CatalogueContext,
  record: ModuleRecord,
  present: readonly RoleRule[],
): Promise<KeptRules | null> {
  if (record.kind === 'remote') return null
  const newest = await context.backups.newestOf(record.name, record.current?.digest ?? null)
  if (newest === null || newest.builtin !== (record.kind === 'builtin')) return null
  const there = new Set(present.map(({ role_id, subject, effect }) => `${role_id} ${subject} ${effect}`))
  const rules = newest.rules.filter(({ role_id, subject, effect }) => !there.has(`${role_id} ${subject} ${effect}`))
  return rules.length === 0 ? null : { backup: newest.backup, rules }
}

/** Restores the rules kept in the backup. @throws {AppError} not_found, module_changed, module_busy */
export async function restoreRules(
  context: CatalogueContext,
  name: string,
  backup: string,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    const kept = await keptRules(context, record, await context.rules.about(name))
    if (kept?.backup !== backup) {
      throw new AppError('module_changed', say`These rules are there already, or another module is installed by now.`)
    }
    await context.change(record, {
      caller,
      action: 'module.rules_restored',
      details: { rules: kept.rules.map(({ role, subject, effect }) => ({ role, subject, effect })) },
      work: async (trx) => void (await context.rules.giveBack(trx, kept.rules)),
    })
  })
}
