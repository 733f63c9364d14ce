/** An object in the store of bytes that no row names any more: the sweep removes it after a while. */
export interface UnusedObjectTable {
  store: 'files' | 'packages'
  object_id: string
  unused_since: number
}
/** How far the search of a store for objects without a row has come. Meaningless in a copy. */
export interface ObjectListingTable {
  store: 'files' | 'packages'
  begun_at: number
  /** The store's own mark of where to go on; null: it was looked through. */
  cursor: string | null
  /** Until then, the process that has taken it is at work. */
  taken_until: number
}
