import { join } from 'node:path'
import { FILE_SIZE_LIMIT, type files as contract } from '../../contract/files.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Attachments } from '../chat/attachments.ts'
import { createAttachments } from './attachments.ts'
import type { ByteStore } from './byte-store.ts'
import { Files, type FilesOptions } from './files.ts'
import { openFolderStore } from './folder-store.ts'
import { DocumentReader } from './parse/document-reader.ts'
import type { TablePort } from './parse/table-port.ts'
import { createPreview } from './preview/preview.ts'
import { Thumbnails } from './preview/thumbnails.ts'
import { fileRoutes } from './routes.ts'
import { createSweep } from './sweep-store.ts'

const GIBIBYTE = 1024 ** 3

export interface OpenFilesOptions extends Pick<FilesOptions, 'database' | 'onCreated'> {
  /** The data folder; bytes are in its `files`, thumbnails in its `thumbnails`. */
  readonly folder: string
  /** Bytes of all files of one user, default 5 GiB. */
  readonly quota?: number
  /** Bytes of one file, default FILE_SIZE_LIMIT. */
  readonly sizeLimit?: number
  /** Where bytes live, if not in the data folder. */
  readonly store?: ByteStore | undefined
  /** Bytes are gone for good: what was made of them elsewhere goes too. */
  readonly onRemoved?: (stored_as: string) => Promise<void>
  readonly now?: () => number
  /** Somebody has a table before his eyes: see fileRoutes. */
  readonly onTableSeen?: () => void
  /** Looks into tables that are attached to a message; null: they are read as text, or not at all. */
  readonly tables?: TablePort | null
}

export interface FilesParts extends AsyncDisposable {
  readonly attachments: Attachments
  /** Reads documents in processes of its own. */
  readonly documents: DocumentReader
  readonly handlers: Handlers<typeof contract>
  /** To be called from time to time: purges what was deleted long ago, then see createSweep. */
  readonly sweep: (signal?: AbortSignal) => Promise<{ purged: number; removed: number }>
}

/** Builds the stored files: the feature itself, what chat reads of it, its routes, its previews and its sweep. */
export async function openFiles(options: OpenFilesOptions): Promise<Files & FilesParts> {
  const { database, onCreated, quota = 5 * GIBIBYTE, sizeLimit = FILE_SIZE_LIMIT, now = Date.now } = options
  const store = options.store ?? (await openFolderStore(join(options.folder, 'files')))
  const thumbnails = await Thumbnails.open({ folder: join(options.folder, 'thumbnails') })
  const onRemoved = async (stored_as: string): Promise<void> => {
    await thumbnails.forget(stored_as)
    await options.onRemoved?.(stored_as)
  }
  const files = new Files({ database, store, sizeLimit, quota, onCreated, onRemoved, now })
  const sweep = createSweep(database, store, now)
  const documents = new DocumentReader()
  return Object.assign(files, {
    attachments: createAttachments(files, { documents, tables: options.tables ?? null }),
    documents,
    handlers: fileRoutes({ files, preview: createPreview(files, thumbnails), onTableSeen: options.onTableSeen }),
    sweep: async (signal?: AbortSignal) => ({ purged: await files.purgeDeleted(), ...(await sweep(signal)) }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thumbnails[Symbol.asyncDispose](), documents[Symbol.asyncDispose]()])
    },
  })
}
