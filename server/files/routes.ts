import type { FileEntry, files as contract } from '../../contract/files.ts'
import type { Handlers } from '../../contract/route.ts'
import { isTableExtension } from './file-kind.ts'
import type { Files } from './files.ts'
import type { Preview } from './preview/preview.ts'
import { receiveUpload } from './receive-upload.ts'

export interface FileRoutesOptions {
  readonly files: Files
  readonly preview: Preview
  /** A user sees a table in a list and may open it: a reader can be warmed up. */
  readonly onTableSeen?: (() => void) | undefined
}

/** The handlers of the routes under /api/files. */
export function fileRoutes({ files, preview, onTableSeen }: FileRoutesOptions): Handlers<typeof contract> {
  const see = (entries: readonly FileEntry[]): void => {
    if (entries.some(({ extension }) => isTableExtension(extension))) onTableSeen?.()
  }
  return {
    upload: async ({ body, headers, client, caller, signal }) => {
      const upload = { contentType: client.content_type, nameHeader: headers['x-file-name'], body }
      // A form is slightly larger than its file.
      const size = headers['x-file-name'] === undefined ? undefined : client.content_length
      const file = await receiveUpload(upload, (name, bytes) =>
        files.put({ user_id: caller.user_id, name, bytes, size, signal }),
      )
      see([file])
      return { ok: true, file }
    },
    list: async ({ query, caller }) => {
      const page = await files.list(caller.user_id, { ...query, deleted: query.deleted === 'true' })
      see(page.items)
      return { ...page, usage: await files.usage(caller.user_id) }
    },
    file: async ({ params, caller }) => {
      const file = await files.entry(caller.user_id, params.file_id)
      see([file])
      return { file }
    },
    download: ({ params, caller }) => files.open(caller.user_id, params.file_id),
    preview: ({ params, query, caller }) => preview(caller.user_id, params.file_id, query.width),
    remove: async ({ params, query, caller }) => {
      if (query.forever === 'true') await files.removeForever(caller.user_id, params.file_id)
      else await files.remove(caller.user_id, params.file_id)
      return { ok: true, deleted: params.file_id }
    },
    restore: async ({ params, caller }) => ({ ok: true, file: await files.restore(caller.user_id, params.file_id) }),
  }
}
