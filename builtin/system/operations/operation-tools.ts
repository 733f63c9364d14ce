import type { z } from 'zod'
import type { ToolPreview, ToolVerified } from '../../../server/chat/ports/tools.ts'
import type { Machines } from '../../../server/modules/machines.ts'
import type { BuiltinTool, Report } from '../../tool.ts'
import { machineTool, type MachineContext } from '../machine-tool.ts'

type Definition<Input extends z.ZodObject> = Omit<
  BuiltinTool<Input>,
  'run' | 'preview' | 'verify' | 'undo' | 'preview_required' | 'operation'
>

interface TypedOperation<Input extends z.ZodObject> extends Definition<Input> {
  /** What it would do, by reading alone. Rejects with a sentence when it can't be done, which then needs no approval. */
  preview(input: z.output<Input>, context: MachineContext): Promise<ToolPreview>
  run(input: z.output<Input>, context: MachineContext): Promise<Report>
  /** Whether it took. Rejects with a sentence where only root could tell. */
  verify?(input: z.output<Input>, context: MachineContext): Promise<ToolVerified>
  /** Its changes are taken back by the tool `undo`. */
  readonly undoable?: boolean
}

/** A typed operation: the tool itself, its preview, without which there is no approval, and its verification. */
export function operationTools<Input extends z.ZodObject>({
  preview,
  run,
  verify,
  undoable = false,
  ...definition
}: TypedOperation<Input>): (machines: Machines) => BuiltinTool<Input>[] {
  const { name, input } = definition
  const helper = { input, effect: 'read' as const }
  const tools = [
    machineTool({
      ...definition,
      preview: `preview_${name}`,
      preview_required: true as const,
      operation: true as const,
      ...(verify && { verify: `verify_${name}` }),
      ...(undoable && { undo: 'undo' }),
      run,
    }),
    machineTool({
      ...helper,
      name: `preview_${name}`,
      title: 'Preview of an operation',
      description: 'What the operation would do on the machine. Changes nothing.',
      run: async (given, context) => ({ text: '', preview: await preview(given, context) }),
    }),
  ]
  if (verify !== undefined)
    tools.push(
      machineTool({
        ...helper,
        name: `verify_${name}`,
        title: 'Verification of an operation',
        description: 'Whether the operation took on the machine. Changes nothing.',
        run: async (given, context) => ({ text: '', verified: await verify(given, context) }),
      }),
    )
  return (machines) => tools.map((tool) => tool(machines))
}
