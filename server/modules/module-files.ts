import type { FileEntry } from '../../contract/files.ts'

/**
 * On whose behalf a built-in asks: the person whose run it is, limited to the scope of the token that started the run.
 */
export interface FilesCaller {
  readonly user_id: string
  readonly run_id: string
}

/**
 * The port through which built-in modules read stored files, always as the caller of the run. `files` implements it,
 * `app` fills it. Everything but `permission` needs `files.read` and rejects with a sentence when it is denied or asks.
 */
export interface ModuleFiles {
  /** Null when the caller is permitted, otherwise the reason in a sentence. */
  permission(caller: FilesCaller, permission: 'files.read' | 'files.create'): Promise<string | null>
  /** Newest first; `query` is part of a name, ignoring case. `cursor` is the `next_cursor` of the previous page. */
  list(
    caller: FilesCaller,
    page: { query?: string | undefined; limit: number; cursor?: string | undefined },
  ): Promise<{ items: FileEntry[]; next_cursor: string | null }>
  /**
   * The file with this id, or else with this name. Rejects with a sentence when there is none, it belongs to someone
   * else, or several have the name (the sentence lists their ids).
   */
  find(caller: FilesCaller, id_or_name: string): Promise<FileEntry>
  /**
   * The bytes, at most the first `limit`. Rejects when there is no such file, or its bytes are missing from the store.
   */
  open(caller: FilesCaller, file_id: string, limit?: number): Promise<AsyncIterable<Uint8Array>>
  /**
   * Where the bytes are: an id shared by files of equal content, and a path if the store is a folder on this machine.
   */
  locate(
    caller: FilesCaller,
    file_id: string,
  ): Promise<{ stored_as: string; path: string | null; reading: string | null }>
  /** SHA-256 in hexadecimal and size; null when there is no such file, or the caller may not read it. */
  fingerprint(caller: FilesCaller, file_id: string): Promise<{ sha256: string; size: number } | null>
  /**
   * Gives a file other bytes, provided that it still has those with the SHA-256 `expected`. Needs `files.create`, too.
   * Rejects with a sentence.
   */
  replace(caller: FilesCaller, file_id: string, data: Uint8Array, expected: string): Promise<void>
  /** Puts a file into the bin, provided that it still is as `expected`. Needs `files.create`. Rejects with a sentence. */
  remove(caller: FilesCaller, file_id: string, expected: string): Promise<void>
  /** The kind of content, judged by its bytes and not by its name. */
  look(caller: FilesCaller, file_id: string): Promise<FileLook>
}

export type FileLook =
  | {
      readonly kind: 'text'
      /** WHATWG label, even when the text itself declares it. */
      readonly encoding: string
      /** The whole text in pieces, decoded while it is read. Every call reads it again. */
      readonly pieces: () => AsyncIterable<string>
    }
  /** One that a model can look at. */
  | { readonly kind: 'image'; readonly media_type: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'empty' }
