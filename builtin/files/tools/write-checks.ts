import type { ModuleFiles } from '../../../server/modules/module-files.ts'
import { tool } from '../../tool.ts'
import { bytesToWrite, WRITE_INPUT } from '../writing/bytes-to-write.ts'
import { fileDiff } from '../writing/file-diff.ts'
import { wholeFile } from '../writing/whole-file.ts'

/** What `write` would change. */
export const previewWriteTool = (files: ModuleFiles) =>
  tool({
    name: 'preview_write',
    title: 'Preview of writing a file',
    description: 'What "write" would change, as a unified diff. Changes nothing.',
    effect: 'read',
    input: WRITE_INPUT,
    async run(input, context) {
      const { name, data } = bytesToWrite(input)
      const before = input.replaces === undefined ? null : await wholeFile(files, context, input.replaces)
      return {
        text: before === null ? 'A new file.' : `Changes ${before.name}.`,
        preview: {
          state: before?.sha256 ?? 'new',
          parts: [fileDiff(before?.name ?? name, before?.data ?? null, data)],
        },
      }
    },
  })

/** Whether the files hold what `write` left. */
export const verifyWriteTool = (files: ModuleFiles) =>
  tool({
    name: 'verify_write',
    title: 'Verification of a written file',
    description: 'Whether the stored file holds what "write" left. Changes nothing.',
    effect: 'read',
    input: WRITE_INPUT,
    async run(_, context) {
      const wrong: string[] = []
      for (const { target, after_hash } of context.changes) {
        const file_id = target.replace(/^file:/, '')
        const found = (await files.fingerprint(context, file_id)) && (await wholeFile(files, context, file_id)).sha256
        if (found !== after_hash) wrong.push(`${file_id}: ${found ?? 'no file'}`)
      }
      const hashes = context.changes.map(({ after_hash }) => `SHA-256 ${after_hash ?? '-'}`).join(', ')
      const none = context.changes.length === 0
      return {
        text: '',
        verified: {
          ok: !none && wrong.length === 0,
          expected: none ? 'a stored file' : hashes,
          found: none ? 'no file was stored' : wrong.length === 0 ? hashes : wrong.join(', '),
        },
      }
    },
  })
