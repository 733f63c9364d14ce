import type { FileRef } from '../../contract/files.ts'
import { AppError } from '../kernel/app-error.ts'
import { cut, visible } from '../kernel/text.ts'
import type { UserPolicy } from './policy.ts'
import type { RunPorts } from './run-ports.ts'
import { RESULT_FILE_BYTES, RESULT_FILE_LIMIT, RESULT_TEXT_LIMIT, type ToolResult } from './tools.ts'

/**
 * Stores the files that a tool made as generated files of the run, as far as its owner may have files. `text` is what the model
 * reads then: the result with a line for each file, its id or why it was not kept. Never rejects: a result is worth more than its files.
 */
export async function keepFiles(
  { attachments, log }: Pick<RunPorts, 'attachments' | 'log'>,
  policy: UserPolicy,
  run_id: string,
  { files, text }: ToolResult,
): Promise<{ kept: FileRef[]; text: string }> {
  if (files.length === 0) return { kept: [], text }
  const kept: FileRef[] = []
  const lines: string[] = []
  let bytes = 0
  for (const file of files.slice(0, RESULT_FILE_LIMIT)) {
    bytes += file.data.byteLength
    const refused = bytes > RESULT_FILE_BYTES ? 'the files of this result are too large together' : mayCreate(policy)
    try {
      if (refused !== null) {
        lines.push(notKept(file.name, refused))
        continue
      }
      const ref = await attachments.save(policy.user_id, run_id, file)
      kept.push(ref)
      lines.push(
        `[Stored file ${JSON.stringify(ref.name)}, ${ref.media_type}, ${ref.size} bytes, file_id ${ref.file_id}]`,
      )
    } catch (error) {
      if (!(error instanceof AppError)) log.error({ err: error, run_id }, 'a file of a tool could not be stored')
      lines.push(notKept(file.name, error instanceof AppError ? error.message : 'it could not be stored'))
    }
  }
  if (files.length > RESULT_FILE_LIMIT) lines.push(`[${files.length - RESULT_FILE_LIMIT} more files were not kept.]`)
  const said = `\n${lines.join('\n')}`
  return { kept, text: cut(text, RESULT_TEXT_LIMIT - said.length) + said }
}

/** Nobody is asked in the middle of a result, so `ask` refuses as `deny` does. */
function mayCreate(policy: UserPolicy): string | null {
  const { effect, reason } = policy.permission('files.create')
  return effect === 'allow' ? null : reason
}

function notKept(name: string, why: string): string {
  return `[File ${JSON.stringify(cut(visible(name), 200))} was not kept: ${why.replace(/\.$/, '')}.]`
}
