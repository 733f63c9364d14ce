import { ApiError } from '../api-error.ts'

/** What scripts/licences.mjs writes beside the pages. `text` is a place in `texts`, or null where a library brings none. */
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
