import { z } from 'zod'
import type { ModuleFiles } from '../../../server/modules/module-files.ts'
import { tool, type ToolContext } from '../../tool.ts'
import { fileDiff } from '../writing/file-diff.ts'
import { keptChange } from '../writing/kept-change.ts'
import { wholeFile, type WholeFile } from '../writing/whole-file.ts'

const input = z.strictObject({ change: z.string().max(64).describe('Id of the change, from the page "What changed"') })

/** Takes back what `write` did: a changed file gets its former bytes, a new one goes into the bin. */
export const undoWriteTool = (files: ModuleFiles) =>
  tool({
    name: 'undo_write',
    title: 'Take back a written file',
    description:
      'Takes back one change that "write" made: the file gets the bytes that it had before, or goes into the bin if it was new. Refused when the file was changed since.',
    effect: 'write',
    preview: 'preview_undo_write',
    input,
    summary: 'Takes back the change {change}',
    async run(_, context) {
      const { now, before } = await findChanged(files, context)
      if (before === null) await files.remove(context, now.file_id, now.sha256)
      else await files.replace(context, now.file_id, before, now.sha256)
      return {
        text:
          before === null
            ? `${JSON.stringify(now.name)} is in the bin now.`
            : `${JSON.stringify(now.name)} is as it was before: ${before.byteLength} bytes.`,
        changes: [keptChange(now, now, before)],
      }
    },
  })

/** What `undo_write` would change. */
export const previewUndoWriteTool = (files: ModuleFiles) =>
  tool({
    name: 'preview_undo_write',
    title: 'Preview of taking back a written file',
    description: 'What "undo_write" would change, as a unified diff. Changes nothing.',
    effect: 'read',
    input,
    async run(_, context) {
      const { now, before } = await findChanged(files, context)
      return { text: now.name, preview: { state: now.sha256, parts: [fileDiff(now.name, now.data, before)] } }
    },
  })

/** The file as the change left it, and what it held before: null if there was none. Rejects with a sentence. */
async function findChanged(
  files: ModuleFiles,
  context: ToolContext,
): Promise<{ readonly now: WholeFile; readonly before: Buffer | null }> {
  const { change } = context
  if (change === undefined) throw new Error('There is no such change of yours that could be taken back.')
  const file_id = change.target.replace(/^file:/, '')
  if ((await files.fingerprint(context, file_id)) === null)
    throw new Error(`${change.name} is not there any more, so there is nothing to take back.`)
  const now = await wholeFile(files, context, file_id)
  if (now.sha256 !== change.after_hash || (context.state !== undefined && context.state !== now.sha256))
    throw new Error(`${now.name} was changed since, so it was left as it is: its newest change would be lost.`)
  if (change.before_hash !== null && change.before === null)
    throw new Error(`What ${now.name} held before was too large to be kept.`)
  return { now, before: change.before === null ? null : Buffer.from(change.before, 'base64') }
}
