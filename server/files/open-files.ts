import { join } from 'node:path'
import { FILE_SIZE_LIMIT, type files as contract } from '../../contract/files.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Attachments } from '../chat/attachments.ts'
import { createAttachments } from './attachments.ts'
import type { ByteStore } from './byte-store.ts'
import { Files, type FilesOptions } from './files.ts'
import { openFolderStore } from './folder-store.ts'
import { fileRoutes } from './routes.ts'
import { createSweep, type Sweep } from './sweep-store.ts'

const GIBIBYTE = 1024 ** 3

export interface OpenFilesOptions extends Pick<FilesOptions, 'database' | 'onCreated'> {
  /** The data folder; bytes are in its `files`. */
  readonly folder: string
  /** Bytes of all files of one user, default 5 GiB. */
  readonly quota?: number
  /** Bytes of one file, default FILE_SIZE_LIMIT. */
  readonly sizeLimit?: number
  /** Where bytes live, if not in the data folder. */
  readonly store?: ByteStore
  readonly now?: () => number
}

export interface FilesParts {
  readonly attachments: Attachments
  readonly handlers: Handlers<typeof contract>
  /** To be called from time to time; see createSweep. */
  readonly sweep: Sweep
}

/** Builds the stored files: the feature itself, what chat reads of it, its routes, and its sweep. Nothing to close. */
export async function openFiles(options: OpenFilesOptions): Promise<Files & FilesParts> {
  const { database, onCreated, quota = 5 * GIBIBYTE, sizeLimit = FILE_SIZE_LIMIT, now = Date.now } = options
  const store = options.store ?? (await openFolderStore(join(options.folder, 'files')))
  const files = new Files({ database, store, sizeLimit, quota, onCreated })
  return Object.assign(files, {
    attachments: createAttachments(files),
    handlers: fileRoutes(files),
    sweep: createSweep(database, store, now),
  })
}
