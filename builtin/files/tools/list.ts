import { z } from 'zod'
import type { ModuleFiles } from '../../../server/modules/module-files.ts'
import { tool } from '../../tool.ts'

/** Lists the person's stored files, newest first. */
export const listTool = (files: ModuleFiles) =>
  tool({
    name: 'list',
    title: 'Stored files',
    description:
      'The stored files of the person you work for, newest first: id, name, type, size (bytes), time. "query" is part of a name. For the next page give the ' +
      '"cursor" that the answer names. Names are labels: several files may have the same one, so the other tools take ids too.',
    effect: 'read',
    input: z.strictObject({
      query: z.string().min(1).max(200).optional().describe('Only files whose name has this in it, in any case'),
      limit: z.int().min(1).max(200).default(50),
      cursor: z.string().max(100).optional(),
    }),
    async run(input, context) {
      const { items, next_cursor } = await files.list(context, input)
      const such = input.query === undefined ? '' : ` with ${JSON.stringify(input.query)} in the name`
      const more = next_cursor === null ? '' : ` There are more: cursor=${next_cursor}.`
      return {
        text: items.length === 0 ? `No stored file${such}.` : `${items.length} stored files${such}.${more}`,
        tables: [
          {
            title: 'Stored files',
            columns: [
              { key: 'file_id', label: 'Id', type: 'text' },
              { key: 'name', label: 'Name', type: 'text' },
              { key: 'media_type', label: 'Type', type: 'text' },
              { key: 'size', label: 'Size', type: 'bytes' },
              { key: 'created_at', label: 'Stored at', type: 'datetime' },
            ],
            rows: items.map(({ file_id, name, media_type, size, created_at }) => ({
              file_id,
              name,
              media_type,
              size,
              created_at,
            })),
          },
        ],
      }
    },
  })
