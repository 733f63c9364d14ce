import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { savePins } from '../store/module-rows.ts'

/**
 * Agrees to tools as the caller saw them, so that the rules apply to them again.
 * @throws {AppError} module_changed when one of them differs from what the caller saw; then none is agreed to
 */
export async function agreeToTools(
  context: CatalogueContext,
  name: string,
  tools: readonly { readonly name: string; readonly definition_hash: string }[],
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    const now = new Map((context.host.runtime(name)?.tools ?? []).map((tool) => [tool.name, tool]))
    for (const tool of tools) {
      const found = now.get(tool.name)
      if (found === undefined || found.pin === 'missing' || found.definition_hash !== tool.definition_hash) {
        throw new AppError('module_changed', say`The tool ${tool.name} is not as it was shown. Look at it again.`)
      }
    }
    if (record.kind === 'builtin') return
    await context.change(record, {
      caller,
      action: 'module.tools_agreed',
      details: { tools: tools.map((tool) => tool.name) },
      work: (trx, at) => savePins(trx, name, tools, at),
    })
  })
}
