import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

export const FILE_SIZE_LIMIT = 256 * 1024 * 1024
export const FILE_NAME_LIMIT = 255

export const FileRef = z.strictObject({
  file_id: Id,
  name: z.string(),
  media_type: z.string(),
  size: z.int(),
  extension: z.string(),
})
export type FileRef = z.infer<typeof FileRef>
export const FileEntry = FileRef.extend({ created_at: Timestamp })
export type FileEntry = z.infer<typeof FileEntry>

const FileParams = z.object({ file_id: Id })

export const files = {
  upload: route({
    method: 'POST',
    path: '/api/files',
    summary: 'Store a file: multipart field `file`, or the raw bytes with the header x-file-name (percent-encoded)',
    access: 'session',
    permissions: ['files.create'],
    headers: z.object({ 'x-file-name': z.string().max(3000).optional() }),
    // A form adds its own lines around a file of the largest size.
    body: { kind: 'raw', limit: FILE_SIZE_LIMIT + 64 * 1024 },
    response: json(z.strictObject({ ok: Ok, file: FileEntry })),
    errors: ['forbidden', 'approval_required', 'bad_file_name', 'quota_exceeded', 'payload_too_large'],
    rateLimit: 600,
  }),
  list: route({
    method: 'GET',
    path: '/api/files',
    summary: 'My stored files, newest first',
    access: 'session',
    permissions: ['files.read'],
    query: z.object({ limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(FileEntry), next_cursor: NextCursor })),
    errors: ['forbidden', 'approval_required'],
  }),
  file: route({
    method: 'GET',
    path: '/api/files/{file_id}',
    summary: 'What a stored file is',
    access: 'session',
    permissions: ['files.read'],
    params: FileParams,
    response: json(z.strictObject({ file: FileEntry })),
    errors: ['forbidden', 'approval_required', 'not_found'],
  }),
  download: route({
    method: 'GET',
    path: '/api/files/{file_id}/download',
    summary: 'The bytes of a stored file, as an attachment',
    access: 'session',
    permissions: ['files.read'],
    params: FileParams,
    response: { kind: 'file', disposition: 'attachment' },
    errors: ['forbidden', 'approval_required', 'not_found'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/files/{file_id}',
    summary: 'Delete a stored file',
    access: 'session',
    permissions: ['files.delete'],
    params: FileParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['forbidden', 'approval_required', 'not_found'],
  }),
}
