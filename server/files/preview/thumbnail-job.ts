/** A request to the process that makes thumbnails. */
export interface ThumbnailJob {
  /** The image, and where the thumbnail (WebP) goes. */
  readonly input: string
  readonly output: string
  /** Whether it is an SVG. */
  readonly drawing: boolean
  /** Pixels; a smaller image stays as it is. */
  readonly width: number
  /** Images with more pixels are not decoded. */
  readonly pixels: number
}

export type ThumbnailAnswer = { readonly ok: true } | { readonly ok: false; readonly too_large: boolean }
