import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { instructionsPin } from '../../mcp/instructions.ts'
import { savePins } from '../store/module-rows.ts'

/**
 * Agrees to tools, and to what the module says about them, as the caller saw them, so that they count again.
 * @throws {AppError} module_changed when something differs from what the caller saw; then nothing is agreed to
 */
export async function agreeToTools(
  context: CatalogueContext,
  name: string,
  {
    tools,
    instructions,
  }: {
    readonly tools: readonly { readonly name: string; readonly definition_hash: string }[]
    /** The hash of what it says about them. */
    readonly instructions?: string | undefined
  },
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
    const said = context.host.said(name)
    if (instructions !== undefined && said?.hash !== instructions)
      throw new AppError(
        'module_changed',
        say`What the module says about its tools is not as it was shown. Look at it again.`,
      )
    if (record.kind === 'builtin' || (tools.length === 0 && instructions === undefined)) return
    const pins = [...tools, ...(said !== null && instructions !== undefined ? [instructionsPin(said)] : [])]
    await context.change(record, {
      caller,
      action: 'module.tools_agreed',
      details: { tools: tools.map((tool) => tool.name), ...(instructions !== undefined && { instructions }) },
      work: (trx, at) => savePins(trx, name, pins, at),
    })
  })
}
