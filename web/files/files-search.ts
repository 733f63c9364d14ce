import type { FileKind, FileSort } from '../../contract/files.ts'

/** `deleted`: those that can be taken back. */
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
/** The first is what holds unless another is chosen. */
export const FILE_SORTS: readonly FileSort[] = ['newest', 'oldest', 'name', 'name_desc', 'largest', 'smallest']

/** What narrows and orders the list. */
export interface FileSearch {
  readonly q: string
  readonly kind: ShownKind | null
  readonly sort: FileSort
}

/** What an address means; what it cannot mean is left out. */
export function fileSearch({ q = '', kind, sort }: { q?: string; kind?: string; sort?: string }): FileSearch {
  return {
    q,
    kind: SHOWN_KINDS.find((one) => one === kind) ?? null,
    sort: FILE_SORTS.find((one) => one === sort) ?? FILE_SORTS[0]!,
  }
}

/** The address of a search, without what need not be said. */
export function searchAddress({ q, kind, sort }: FileSearch): { q?: string; kind?: string; sort?: string } {
  return {
    ...(q === '' ? {} : { q }),
    ...(kind === null ? {} : { kind }),
    ...(sort === FILE_SORTS[0] ? {} : { sort }),
  }
}
