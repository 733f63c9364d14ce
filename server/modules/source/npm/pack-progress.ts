/** `done` of `total` packages, so far as they are known. */
export interface PackProgress {
  readonly step: 'resolving' | 'fetching' | 'packing'
  readonly done: number
  readonly total: number
}
