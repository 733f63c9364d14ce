import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/** Maximum bytes of a stored file: the default, and the highest value that can be set. */
export const FILE_SIZE_LIMIT = 256 * 1024 * 1024
const FILE_SIZE_CEILING = 64 * 1024 ** 3
export const FILE_NAME_LIMIT = 255

export const FileRef = z.strictObject({
  file_id: Id,
  name: z.string(),
  media_type: z.string(),
  size: z.int(),
  extension: z.string(),
  /** Present where it was read from a module: which, and under which address. */
  origin: z.strictObject({ module: z.string(), uri: z.string() }).optional(),
})
export type FileRef = z.infer<typeof FileRef>
export const FileEntry = FileRef.extend({ created_at: Timestamp })
export type FileEntry = z.infer<typeof FileEntry>

/** Kinds of files that people look for, by extension. */
export const FileKind = z.enum(['image', 'table', 'document', 'text', 'media', 'archive', 'other'])
export type FileKind = z.infer<typeof FileKind>
export const FileSort = z.enum(['newest', 'oldest', 'name', 'name_desc', 'largest', 'smallest'])
export type FileSort = z.infer<typeof FileSort>
/** Bytes. Deleted files count until they are purged 30 days later. `file_limit`: maximum of one file. */
export const FileUsage = z.strictObject({
  bytes: z.int(),
  deleted_bytes: z.int(),
  limit: z.int(),
  file_limit: z.int(),
})
export type FileUsage = z.infer<typeof FileUsage>
export const PREVIEW_WIDTH = { least: 16, most: 2048 } as const

const FileParams = z.object({ file_id: Id })

export const files = {
  upload: route({
    method: 'POST',
    path: '/api/files',
    summary: 'Store a file: multipart field `file`, or the raw bytes with the header x-file-name (percent-encoded)',
    access: 'session',
    permissions: ['files.create'],
    headers: z.object({ 'x-file-name': z.string().max(3000).optional() }),
    // The configured limit applies (`usage.file_limit`); a form adds its own lines around a file of the maximum size.
    body: { kind: 'raw', limit: FILE_SIZE_CEILING + 64 * 1024 },
    response: json(z.strictObject({ ok: Ok, file: FileEntry })),
    errors: ['forbidden', 'approval_required', 'bad_file_name', 'quota_exceeded', 'payload_too_large'],
    rateLimit: 600,
  }),
  list: route({
    method: 'GET',
    path: '/api/files',
    summary:
      'My stored files with the words of q in their names, newest first if not sorted otherwise; deleted=true gives those that can be restored',
    access: 'session',
    permissions: ['files.read'],
    query: z.object({
      q: z.string().max(200).default(''),
      kind: FileKind.optional(),
      sort: FileSort.default('newest'),
      deleted: z.enum(['true', 'false']).default('false'),
      limit: limit(50),
      cursor: Cursor,
    }),
    response: json(z.strictObject({ items: z.array(FileEntry), next_cursor: NextCursor, usage: FileUsage })),
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
    summary: 'The bytes of a stored file, as an attachment; a Range header gives a part',
    access: 'session',
    permissions: ['files.read'],
    params: FileParams,
    response: { kind: 'file', disposition: 'attachment' },
    errors: ['forbidden', 'approval_required', 'not_found', 'range_not_satisfiable'],
  }),
  preview: route({
    method: 'GET',
    path: '/api/files/{file_id}/preview',
    summary:
      'An image or a PDF to be shown in place; width gives a thumbnail of an image, at most that many pixels wide (BMP and ICO come as they are)',
    access: 'session',
    permissions: ['files.read'],
    params: FileParams,
    query: z.object({
      width: z.coerce.number().int().min(PREVIEW_WIDTH.least).max(PREVIEW_WIDTH.most).optional(),
    }),
    response: { kind: 'file', disposition: 'inline' },
    errors: ['forbidden', 'approval_required', 'not_found', 'no_preview', 'range_not_satisfiable'],
    rateLimit: 1200,
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/files/{file_id}',
    summary:
      'Delete a stored file; it can be restored for 30 days and counts against the quota until then. forever=true deletes it, or one that was deleted, at once',
    access: 'session',
    permissions: ['files.delete'],
    params: FileParams,
    query: z.object({ forever: z.enum(['true', 'false']).default('false') }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['forbidden', 'approval_required', 'not_found'],
  }),
  restore: route({
    method: 'POST',
    path: '/api/files/{file_id}/restore',
    summary: 'Take back the deletion of a stored file',
    access: 'session',
    permissions: ['files.delete'],
    params: FileParams,
    response: json(z.strictObject({ ok: Ok, file: FileEntry })),
    errors: ['forbidden', 'approval_required', 'not_found'],
  }),
}
