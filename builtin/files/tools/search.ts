import { z } from 'zod'
import type { FileEntry } from '../../../contract/files.ts'
import type { FilesCaller, ModuleFiles } from '../../../server/modules/module-files.ts'
import { tool } from '../../tool.ts'
import { LineMatcher } from '../text/line-matcher.ts'
import { searchFile } from '../text/search-file.ts'

const FILE_LIMIT = 500
const CHARACTER_LIMIT = 128 * 1024 * 1024

/** Finds lines by text or expression across the person's stored text files. */
export const searchTool = (files: ModuleFiles) =>
  tool({
    name: 'search',
    title: 'Search in files',
    description:
      'Finds lines in stored text files by a text or, with regex=true, a regular expression (JavaScript, one line at a time): file, line number, line. Searches the ' +
      `newest ${FILE_LIMIT} files, or those in "files" (ids or exact names), or those with "name" in their name. Files that are no text are passed over.`,
    effect: 'read',
    input: z.strictObject({
      pattern: z.string().min(1).max(500),
      regex: z.boolean().default(false),
      ignore_case: z.boolean().default(true),
      files: z.array(z.string().min(1).max(300)).min(1).max(50).optional().describe('Ids or exact names'),
      name: z.string().min(1).max(200).optional().describe('Only files whose name has this in it'),
      limit: z.int().min(1).max(500).default(100).describe('Lines at most'),
    }),
    async run({ pattern, regex, ignore_case, files: wanted, name, limit }, context) {
      const { signal, progress } = context
      const { entries, more } =
        wanted === undefined
          ? await newest(files, context, name)
          : { entries: await Promise.all(wanted.map((each) => files.find(context, each))), more: false }
      await using matcher = new LineMatcher({ pattern, regex, ignore_case })
      const rows: { name: string; file_id: string; line: number; text: string }[] = []
      let read = 0
      let searched = 0
      let passed = 0
      for (const { file_id, name: label } of entries) {
        if (rows.length >= limit || read >= CHARACTER_LIMIT) break
        signal.throwIfAborted()
        const look = await files.look(context, file_id)
        if (look.kind !== 'text') {
          passed++
          continue
        }
        progress(`Searching ${label}`)
        const room = (characters: number) => (read += characters) < CHARACTER_LIMIT
        const found = await searchFile(look.pieces(), matcher, { limit: limit - rows.length, room }, signal)
        rows.push(...found.map((line) => ({ name: label, file_id, ...line })))
        searched++
      }
      const skipped = entries.length - searched - passed
      const notes = [
        passed > 0 ? `${passed} files are no text.` : '',
        rows.length >= limit ? `Stopped at ${limit} lines: there may be more.` : '',
        read >= CHARACTER_LIMIT ? `Stopped after ${CHARACTER_LIMIT / 1024 / 1024} million characters.` : '',
        skipped > 0 ? `${skipped} files were not looked into.` : '',
        more ? `Only the newest ${FILE_LIMIT} files were considered.` : '',
      ]
      return {
        text: [`${rows.length} lines found in ${searched} text files.`, ...notes.filter((note) => note !== '')].join(
          ' ',
        ),
        tables:
          rows.length === 0
            ? []
            : [
                {
                  title: 'Found lines',
                  columns: [
                    { key: 'name', label: 'File', type: 'text' },
                    { key: 'line', label: 'Line', type: 'integer' },
                    { key: 'text', label: 'Text', type: 'text' },
                    { key: 'file_id', label: 'Id', type: 'text' },
                  ],
                  rows,
                },
              ],
      }
    },
  })

async function newest(files: ModuleFiles, caller: FilesCaller, query: string | undefined) {
  const entries: FileEntry[] = []
  let cursor: string | undefined
  do {
    const page = await files.list(caller, { query, limit: 200, cursor })
    entries.push(...page.items)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && entries.length < FILE_LIMIT)
  return { entries: entries.slice(0, FILE_LIMIT), more: cursor !== undefined || entries.length > FILE_LIMIT }
}
