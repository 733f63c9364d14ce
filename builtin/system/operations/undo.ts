import { z } from 'zod'
import type { Operation } from '../../../server/modules/machine-operation.ts'
import type { ToolChange, ToolPreview } from '../../../server/chat/ports/tools.ts'
import { machineTool, type MachineContext } from '../machine-tool.ts'
import { afterwards } from './afterwards.ts'
import { doOperation } from './do-operation.ts'
import { undoFile } from './file.ts'
import { undoPackage } from './package.ts'
import { undoPower } from './power.ts'
import { undoService } from './service-unit.ts'
import { type Change, mustBeAsShown } from './state-change.ts'
import { undoUser } from './user.ts'

const DEADLINE_MS = 30 * 60_000
const input = z.strictObject({ change: z.string().max(64).describe('Id of the change, from the page "What changed"') })

/** What would take one change back. */
interface Undoing {
  /** In a few words, for the result. */
  readonly what: string
  /** What was looked at, and must still be so. */
  readonly state: string
  readonly operation: Operation
  readonly parts: ToolPreview['parts']
  readonly change: ToolChange
  /** What is not as it was before; null when all is. */
  check(signal: AbortSignal): Promise<string | null>
}

/** By the first word of a change's target. */
const UNDO: Readonly<Record<string, (change: Change, context: MachineContext) => Promise<Undoing>>> = {
  service: undoService,
  package: undoPackage,
  file: undoFile,
  'file-mode': undoFile,
  'file-owner': undoFile,
  user: undoUser,
  power: undoPower,
}

/** @throws {Error} with a sentence when there is nothing to be taken back, or something else has changed it since */
async function undoing(context: MachineContext): Promise<Undoing> {
  const { change } = context
  const undo = change && UNDO[change.target.split(':', 1)[0]!]
  if (undo === undefined || change === undefined)
    throw new Error(`There is no such change of yours on "${context.machine.name}" that could be taken back.`)
  return await undo(change, context)
}

export const undoTool = machineTool({
  name: 'undo',
  title: 'Take back a change of the machine',
  description:
    'Takes back one change that service, package, file, user or power made: the earlier state of a service, packages that were new or removed, the former content of a file, groups, a scheduled restart. ' +
    'Refused when it was changed since.',
  effect: 'destructive',
  preview: 'preview_undo',
  preview_required: true,
  operation: true,
  summary: 'Takes back the change {change}',
  deadline_ms: DEADLINE_MS + 60_000,
  input,
  async run(_, context) {
    const { what, state, operation, change, check } = await undoing(context)
    mustBeAsShown(context, state, change.name)
    const done = await doOperation(context, operation, DEADLINE_MS)
    if (!done.ok) return { text: done.text, failed: true }
    const after = await afterwards(async (signal) => ({ wrong: await check(signal) }))
    if (after.found !== null && after.found.wrong !== null)
      return { text: `${done.text}\nIt is not as it was before, all the same: ${after.found.wrong}`, failed: true }
    return { text: `${done.text}\n${after.why ?? `Taken back: ${what}.`}`, changes: [change] }
  },
})

/** What `undo` would change. */
export const previewUndoTool = machineTool({
  name: 'preview_undo',
  title: 'Preview of taking back a change of the machine',
  description: 'What "undo" would change. Changes nothing.',
  effect: 'read',
  input,
  async run(_, context) {
    const { what, state, parts } = await undoing(context)
    return { text: what, preview: { state, parts } }
  },
})
