import type { files as contract } from '../../contract/files.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Files } from './files.ts'
import { receiveUpload } from './receive-upload.ts'

/** The handlers of the routes under /api/files. */
export function fileRoutes(files: Files): Handlers<typeof contract> {
  return {
    upload: async ({ body, headers, client, caller, signal }) => {
      const upload = { contentType: client.content_type, nameHeader: headers['x-file-name'], body }
      const file = await receiveUpload(upload, (name, bytes) =>
        files.put({ user_id: caller.user_id, name, bytes, signal }),
      )
      return { ok: true, file }
    },
    list: ({ query, caller }) => files.list(caller.user_id, query),
    file: async ({ params, caller }) => ({ file: await files.entry(caller.user_id, params.file_id) }),
    download: ({ params, caller }) => files.open(caller.user_id, params.file_id),
    remove: async ({ params, caller }) => {
      await files.remove(caller.user_id, params.file_id)
      return { ok: true, deleted: params.file_id }
    },
  }
}
