import type { FileEntry } from '../../contract/files.ts'

/** For whom a built-in asks: the person whose run it is, as wide as the token that started the run, and no wider. */
export interface FilesCaller {
  readonly user_id: string
  readonly run_id: string
}

/**
 * The port through which built-in modules read stored files, always as the caller of the run. `files` implements it, `app` fills it.
 * Everything but `permission` needs `files.read` and rejects with a sentence when it is denied or asks.
 */
export interface ModuleFiles {
  /** Null when the caller may, else why not, in a sentence. */
  permission(caller: FilesCaller, permission: 'files.read' | 'files.create'): Promise<string | null>
  /** Newest first; `query` is part of a name, in any case. `cursor` is the `next_cursor` of the page before. */
  list(
    caller: FilesCaller,
    page: { query?: string | undefined; limit: number; cursor?: string | undefined },
  ): Promise<{ items: FileEntry[]; next_cursor: string | null }>
  /**
   * The file with this id or else with this name. Rejects with a sentence when there is none, it is somebody else's, or several
   * have the name (their ids are in the sentence).
   */
  find(caller: FilesCaller, id_or_name: string): Promise<FileEntry>
  /** The bytes, at most the first `limit`. Rejects when there is no such file, or the storage lost it. */
  open(caller: FilesCaller, file_id: string, limit?: number): Promise<AsyncIterable<Uint8Array>>
  /** Where the bytes are: an id that files of equal content share, and a path where the store is a folder of this machine. */
  locate(caller: FilesCaller, file_id: string): Promise<{ stored_as: string; path: string | null }>
  /** What the content is by its bytes, whatever the name says. */
  look(caller: FilesCaller, file_id: string): Promise<FileLook>
}

export type FileLook =
  | {
      readonly kind: 'text'
      /** WHATWG label, also when the text itself is what says so. */
      readonly encoding: string
      /** The whole text in pieces, decoded while it is read. Every call of it reads anew. */
      readonly pieces: () => AsyncIterable<string>
    }
  /** One that a model can look at. */
  | { readonly kind: 'image'; readonly media_type: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'empty' }
