import type { FileKind, FileSort } from '../../contract/files.ts'

/** `deleted`: files that can be restored. */
export type ShownKind = FileKind | 'deleted'
export const SHOWN_KINDS: readonly ShownKind[] = [
  'image',
  'table',
  'document',
  'text',
  'media',
  'archive',
  'other',
  'deleted',
]
/** The first is the default. */
export const FILE_SORTS: readonly FileSort[] = ['newest', 'oldest', 'name', 'name_desc', 'largest', 'smallest']

/** Filters and sort order of the list. */
export interface FileSearch {
  readonly q: string
  readonly kind: ShownKind | null
  readonly sort: FileSort
}

/** Parses an address; invalid values are left out. */
export function fileSearch({ q = '', kind, sort }: { q?: string; kind?: string; sort?: string }): FileSearch {
  return {
    q,
    kind: SHOWN_KINDS.find((one) => one === kind) ?? null,
    sort: FILE_SORTS.find((one) => one === sort) ?? FILE_SORTS[0]!,
  }
}

/** The address of a search, without default values. */
export function searchAddress({ q, kind, sort }: FileSearch): { q?: string; kind?: string; sort?: string } {
  return {
    ...(q === '' ? {} : { q }),
    ...(kind === null ? {} : { kind }),
    ...(sort === FILE_SORTS[0] ? {} : { sort }),
  }
}
