import { z } from 'zod'
import { machineTool } from '../machine-tool.ts'
import { doOperation } from './do-operation.ts'

const DEADLINE_MAX_S = 1800

/** A script as root, for what no typed operation does. */
export const commandAsRootTool = machineTool({
  name: 'run_command_as_root',
  title: 'Run a command as root',
  description:
    'Runs a script for /bin/sh as root by the helper reeve-op, where the list of the machine has "allow command". Nothing is shown beforehand, checked afterwards or taken back: use it only ' +
    'for what service, package, file, user, journal_vacuum and power cannot do.',
  effect: 'destructive',
  operation: true,
  summary: 'Runs as root, for at most {deadline_s} s: {script}',
  main_argument: 'script',
  deadline_ms: (DEADLINE_MAX_S + 60) * 1000,
  input: z.strictObject({
    script: z.string().min(1).max(100_000).describe('For /bin/sh, without input'),
    deadline_s: z
      .int()
      .min(1)
      .max(DEADLINE_MAX_S)
      .default(60)
      .describe('Seconds after which it is stopped with all it started'),
  }),
  async run({ script, deadline_s }, context) {
    if (script.includes('\0')) throw new Error('A NUL character cannot be part of a command.')
    const done = await doOperation(context, { op: 'command', script, deadline_s }, (deadline_s + 30) * 1000)
    return { text: done.text, failed: !done.ok }
  },
})
