import type { z } from 'zod'
import type { Machine, Machines } from '../../server/modules/machines.ts'
import type { BuiltinTool, Report, ToolContext } from '../tool.ts'

/** The context of a call, with the machine that it is about. */
export interface MachineContext extends ToolContext {
  readonly machine: Machine
}

interface MachineTool<Input extends z.ZodObject> extends Omit<BuiltinTool<Input>, 'run'> {
  run(input: z.output<Input>, context: MachineContext): Promise<Report>
}

/** A tool that works on one machine, which its call names; it never learns where that is. */
export function machineTool<Input extends z.ZodObject>({ run, ...definition }: MachineTool<Input>) {
  return (machines: Machines): BuiltinTool<Input> => ({
    ...definition,
    async run(input, context) {
      const machine = await machines.get(context.host_id)
      if (machine === null) throw new Error(`There is no machine with the id "${context.host_id}" any more.`)
      return await run(input, { ...context, machine })
    },
  })
}
