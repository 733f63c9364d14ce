/**
 * `deleted_at` of a conversation that is invisible to everyone, its owner included, and cannot be restored: an
 * incomplete import, or a purge in progress. Whatever becomes of either, the sweep of the bin removes what is left.
 */
export const GONE = 0
