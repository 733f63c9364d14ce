import { createHash } from 'node:crypto'
import type { FileRef } from '../../../contract/files.ts'
import { AppError } from '../../kernel/app-error.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import type { UserPolicy } from '../ports/policy.ts'
import { LostLease } from '../run/run-store.ts'
import type { Step } from '../run/step.ts'
import {
  CHANGE_BYTES,
  RESULT_FILE_BYTES,
  RESULT_FILE_LIMIT,
  RESULT_TEXT_LIMIT,
  type ToolChange,
  type ToolResult,
} from '../ports/tools.ts'

/**
 * Stores the files a tool made as generated files of the run, if its owner may have files. `text` is what the model
 * then reads: the result with a line for each file, giving its id or why it was not kept. The result matters more than
 * its files, so a file that cannot be stored does not fail the call. @throws {LostLease}
 */
export async function keepFiles(
  step: Step,
  { files, text }: ToolResult,
): Promise<{
  kept: FileRef[]
  /** The kept files as changes: made where there was nothing. */
  made: ToolChange[]
  text: string
}> {
  const { ports, store, log, policy } = step
  const { run_id } = step.run.row
  if (files.length === 0) return { kept: [], made: [], text }
  const kept: FileRef[] = []
  const made: ToolChange[] = []
  const lines: string[] = []
  let bytes = 0
  for (const file of files.slice(0, RESULT_FILE_LIMIT)) {
    bytes += file.data.byteLength
    const refused =
      bytes > RESULT_FILE_BYTES ? say`The files of this result are too large together.` : mayCreate(policy)
    try {
      if (refused !== null) {
        lines.push(notKept(file.name, refused).in(policy.language))
        continue
      }
      const ref = await ports.attachments.save(policy.user_id, run_id, file, async (trx) => {
        await store.hold(trx, step)
      })
      kept.push(ref)
      made.push(madeOf(ref, file.data))
      lines.push(
        `[Stored file ${JSON.stringify(ref.name)}, ${ref.media_type}, ${ref.size} bytes, file_id ${ref.file_id}]`,
      )
    } catch (error) {
      if (error instanceof LostLease) throw error
      if (!(error instanceof AppError)) log.error({ err: error, run_id }, 'a file of a tool could not be stored')
      const why = error instanceof AppError ? error.detail : say`It could not be stored.`
      lines.push(notKept(file.name, why).in(policy.language))
    }
  }
  const more = files.length - RESULT_FILE_LIMIT
  if (more > 0) lines.push(say`[Files beyond the limit that were not kept: ${more}]`.in(policy.language))
  const said = `\n${lines.join('\n')}`
  return { kept, made, text: cut(text, RESULT_TEXT_LIMIT - said.length) + said }
}

function madeOf({ file_id, name }: FileRef, data: Uint8Array): ToolChange {
  const after = data.byteLength > CHANGE_BYTES ? null : Buffer.from(data).toString('base64')
  const after_hash = createHash('sha256').update(data).digest('hex')
  return { target: `file:${file_id}`, name, before_hash: null, after_hash, before: null, after }
}

/** No one is asked in the middle of a result, so `ask` refuses just as `deny` does. */
function mayCreate(policy: UserPolicy): Sentence | null {
  const { effect, reason } = policy.permission('files.create')
  return effect === 'allow' ? null : quoted(reason)
}

function notKept(name: string, why: Sentence): Sentence {
  return say`[File ${JSON.stringify(cut(visible(name), 200))} was not kept. ${why}]`
}
