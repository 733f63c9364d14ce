import { join } from 'node:path'
import { FILE_SIZE_LIMIT, files as contract } from '../../contract/files.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Attachments } from '../chat/ports/attachments.ts'
import { createObjectSweep } from '../db/objects/object-sweep.ts'
import type { Machine } from '../sandbox/machine.ts'
import { createAttachments } from './attachments.ts'
import type { ByteStore } from './byte-store.ts'
import { Files } from './files.ts'
import type { FilesOptions } from './put-files.ts'
import { openFolderStore } from './folder-store.ts'
import { loadedAtFirst } from '../kernel/loaded-at-first.ts'
import { DocumentReader } from './parse/document-reader.ts'
import type { TablePort } from './parse/table/table-port.ts'
import { Thumbnails } from './preview/thumbnails.ts'
import { forgetDerived } from './forget-derived.ts'
import { namedFiles } from './shared-bytes.ts'

const GIBIBYTE = 1024 ** 3
/** Long enough for a download that has begun; short enough for "permanently deleted". */
const UNUSED_MS = 10 * 60_000

export interface OpenFilesOptions extends Pick<FilesOptions, 'database' | 'onCreated'> {
  /** The data folder; bytes are in its `files`, thumbnails in its `thumbnails`. */
  readonly folder: string
  /** Bytes of all files of one user, default 5 GiB. */
  readonly quota?: number
  /** Bytes of one file, default FILE_SIZE_LIMIT. */
  readonly sizeLimit?: number
  /** Where bytes live, if not in the data folder. */
  readonly store?: ByteStore | undefined
  /** Whether all bytes must be kept at present, for a backup. */
  readonly isHeld?: () => Promise<boolean>
  /** No file has these bytes any more: whatever was derived from them elsewhere on this machine goes too. */
  readonly onRemoved?: (stored_as: string) => Promise<void>
  /** Ids of bytes of which there is something derived elsewhere on this machine. */
  readonly derived?: () => Promise<string[]>
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
  /**
   * Call from time to time: purges files deleted long ago, forgets what was derived from bytes that are gone, looks for
   * strays and removes what is unused.
   */
  readonly sweep: (signal?: AbortSignal) => Promise<{ purged: number; removed: number }>
  /** Call every minute: removes bytes that no file has had for ten. */
  readonly removeUnused: (signal?: AbortSignal) => Promise<number>
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
  const isHeld = options.isHeld ?? (async () => false)
  const sweep = createObjectSweep({ database, name: 'files', store, named: namedFiles, age_ms: UNUSED_MS, isHeld })
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
    removeUnused: (signal) => sweep.unused(signal),
    sweep: async (signal?: AbortSignal) => {
      const purged = await files.purgeDeleted()
      await forgetDerived(database, [...thumbnails.ids(), ...((await options.derived?.()) ?? [])], onRemoved)
      await sweep.strays(signal)
      return { purged, removed: await sweep.unused(signal) }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([thumbnails[Symbol.asyncDispose](), documents[Symbol.asyncDispose]()])
    },
  }
}
