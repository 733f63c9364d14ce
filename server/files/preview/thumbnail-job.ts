/** What the process that makes thumbnails is asked. */
export interface ThumbnailJob {
  /** The picture, and where the thumbnail goes (WebP). */
  readonly input: string
  readonly output: string
  /** An SVG. */
  readonly drawing: boolean
  /** Pixels; a smaller picture stays as it is. */
  readonly width: number
  /** More pixels than this are not decoded. */
  readonly pixels: number
}

export type ThumbnailAnswer = { readonly ok: true } | { readonly ok: false; readonly too_large: boolean }
