import { join } from 'node:path'
import { FILE_SIZE_LIMIT, files as contract } from '../../contract/files.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Attachments } from '../chat/ports/attachments.ts'
import type { Machine } from '../sandbox/machine.ts'
import { createAttachments } from './attachments.ts'
import type { ByteStore } from './byte-store.ts'
import { Files, type FilesOptions } from './files.ts'
import { openFolderStore } from './folder-store.ts'
import { loadedAtFirst } from '../kernel/loaded-at-first.ts'
import { DocumentReader } from './parse/document-reader.ts'
import type { TablePort } from './parse/table/table-port.ts'
import { Thumbnails } from './preview/thumbnails.ts'
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
  /** The bytes are permanently deleted: whatever was derived from them elsewhere goes too. */
  readonly onRemoved?: (stored_as: string) => Promise<void>
  readonly now?: () => number
  /** A user is viewing a table: see fileRoutes. */
  readonly onTableSeen?: () => void
  /** Isolates the processes that read documents and images; without it they are plain processes. */
  readonly machine?: Machine | undefined
  /** Reads tables that are attached to a message; null: they are read as text, or not at all. */
  readonly tables?: TablePort | null
}

/** The complete feature: the files themselves, what chat reads of them, their routes, previews and sweep. */
export interface StoredFiles extends AsyncDisposable {
  readonly files: Files
  readonly attachments: Attachments
  /** Reads documents in processes of its own. */
  readonly documents: DocumentReader
  readonly handlers: Handlers<typeof contract>
  /** Frees space: removes thumbnails, which are rebuilt when needed. */
  readonly dropCaches: () => Promise<void>
  /** Call from time to time: purges files deleted long ago, then sweeps (see createSweep). */
  readonly sweep: (signal?: AbortSignal) => Promise<{ purged: number; removed: number }>
}

export async function openFiles(options: OpenFilesOptions): Promise<StoredFiles> {
  const { database, onCreated, quota = 5 * GIBIBYTE, sizeLimit = FILE_SIZE_LIMIT, now = Date.now } = options
  const machine = options.machine ?? null
  const store = options.store ?? (await openFolderStore(join(options.folder, 'files')))
  const thumbnails = await Thumbnails.open({ folder: join(options.folder, 'thumbnails'), machine })
  const onRemoved = async (stored_as: string): Promise<void> => {
    await thumbnails.forget(stored_as)
    await options.onRemoved?.(stored_as)
  }
  const files = new Files({ database, store, sizeLimit, quota, onCreated, onRemoved, now })
  const sweep = createSweep(database, store, now)
  const documents = new DocumentReader({}, machine)
  return {
    files,
    attachments: createAttachments(files, { documents, tables: options.tables ?? null }),
    documents,
    handlers: loadedAtFirst(contract, async () => {
      const { fileRoutes } = await import('./routes.ts')
      const { createPreview } = await import('./preview/preview.ts')
      return fileRoutes({ files, preview: createPreview(files, thumbnails), onTableSeen: options.onTableSeen })
    }),
    dropCaches: () => thumbnails.empty(),
    sweep: async (signal?: AbortSignal) => ({ purged: await files.purgeDeleted(), ...(await sweep(signal)) }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thumbnails[Symbol.asyncDispose](), documents[Symbol.asyncDispose]()])
    },
  }
}
