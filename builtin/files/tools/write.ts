import type { ModuleFiles } from '../../../server/modules/module-files.ts'
import { tool } from '../../tool.ts'
import { bytesToWrite, WRITE_INPUT } from '../writing/bytes-to-write.ts'
import { keptChange } from '../writing/kept-change.ts'
import { wholeFile } from '../writing/whole-file.ts'

/** Creates a new stored file of the run, or gives one other content. */
export const writeTool = (files: ModuleFiles) =>
  tool({
    name: 'write',
    title: 'Write a file',
    description:
      'Stores a new file that the person can open and download: from "text", or from "base64" for other bytes. Without "replaces" it never overwrites: a second file with ' +
      'the same name is a second file. With "replaces" the stored file with that id or name gets the whole new content and keeps its name; the person can take that back. ' +
      'The type follows from the ending of the name.',
    effect: 'write',
    preview: 'preview_write',
    verify: 'verify_write',
    undo: 'undo_write',
    input: WRITE_INPUT,
    summary: 'Writes the file {name}[ in place of the stored file {replaces}]',
    async run(input, context) {
      const { name, data } = bytesToWrite(input)
      const refusal = await files.permission(context, 'files.create')
      if (refusal !== null) throw new Error(refusal)
      if (input.replaces === undefined)
        return {
          text: `Made the file ${JSON.stringify(name)} with ${data.byteLength} bytes.`,
          files: [{ name, media_type: input.text === undefined ? 'application/octet-stream' : 'text/plain', data }],
        }
      const before = await wholeFile(files, context, input.replaces)
      if (context.state !== undefined && context.state !== before.sha256)
        throw new Error(`${before.name} was changed since this was approved, so it was left as it is.`)
      await files.replace(context, before.file_id, data, before.sha256)
      return {
        text: `${JSON.stringify(before.name)} has ${data.byteLength} bytes now. Before, it had ${before.size}.`,
        changes: [keptChange(before, before, data)],
      }
    },
  })
