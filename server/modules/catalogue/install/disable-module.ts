import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { sentenceOf } from '../../spec/module-problem.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { versionOf } from '../store/module-record.ts'
import { saveRow } from '../store/module-rows.ts'

/**
 * Stops a module and keeps it stopped. That is recorded first, so that nothing restarts it.
 * @throws {AppError} last_module, module_stop_failed
 */
export async function disableModule(context: CatalogueContext, name: string, caller: Caller): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    if (record.kind === 'builtin') refuseLastBuiltin(context, name, (other) => other.enabled)
    if (record.enabled) {
      await context.change(record, {
        caller,
        action: 'module.disabled',
        details: { version: versionOf(record) },
        work: (trx, now) => saveRow(trx, record, { enabled: 0 }, now),
      })
    }
    await context.host.stopped(name).catch((error: unknown) => {
      throw new AppError('module_stop_failed', sentenceOf(error), { cause: error })
    })
  })
}

/**
 * At least one built-in must remain, because without any Reeve itself can do nothing.
 * @throws {AppError} last_module
 */
export function refuseLastBuiltin(
  context: CatalogueContext,
  name: string,
  counts: (record: { readonly enabled: boolean }) => boolean,
): void {
  const others = [...context.records().values()].filter(
    (record) => record.kind === 'builtin' && record.name !== name && !record.removed && counts(record),
  )
  if (others.length === 0)
    throw new AppError('last_module', say`${name} is the last built-in module, and one must stay.`)
}
