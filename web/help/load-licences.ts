import { ApiError } from '../client/api-error.ts'

/**
 * The file that scripts/licences.mjs writes next to the pages. `text` is an index into `texts`, or null when a library
 * has none.
 */
export interface Licences {
  readonly packages: readonly {
    readonly name: string
    readonly version: string
    readonly licence: string
    readonly link: string | null
    readonly text: number | null
  }[]
  readonly texts: readonly string[]
}

/** @throws {ApiError} when it cannot be loaded */
export async function loadLicences(): Promise<Licences> {
  const response = await fetch('/licences.json').catch(() => {
    throw new ApiError({ status: 0, code: 'network', detail: '' })
  })
  if (!response.ok) throw new ApiError({ status: response.status, code: 'unexpected', detail: '' })
  return (await response.json()) as Licences
}
