import type { ByteStore } from '../byte-store.ts'
import { STORED_ID } from '../stored-id.ts'
import type { S3Address } from './s3-address.ts'
import { noAnswer, S3Client, type S3Timing, timingOf } from './s3-client.ts'
import { S3Failure, StoreUnreachable } from './s3-failure.ts'
import { element, elements } from './s3-xml.ts'
import { writeParts } from './write-parts.ts'

export interface S3StoreOptions {
  readonly address: S3Address
  /** Appended to the prefix of the address: the purpose of the bytes. */
  readonly folder: 'files' | 'packages' | 'module-data'
  /** The pattern of an id; only matching names ever become part of a key. */
  readonly ids?: RegExp
  /** Left out: as the address says. */
  readonly timing?: S3Timing
}

/** How often a read resumes where it broke off, without a byte in between. */
const RESUMED = 3
const UPLOADS_PER_SWEEP = 1000

/**
 * Bytes in a bucket of an S3-compatible store: `<prefix>/<folder>/<id>`. An object is either complete or absent.
 * @throws {StoreUnreachable} when the bucket does not answer, or rejects these keys
 */
export async function openS3Store(options: S3StoreOptions): Promise<ByteStore> {
  const { address, folder, ids = STORED_ID, timing = timingOf(address) } = options
  const client = new S3Client(address, timing)
  const prefix = `${address.prefix}${folder}/`
  await reach(client, prefix)

  function keyOf(id: string): string {
    if (!ids.test(id)) throw new Error('Not the id of a stored file')
    return `${folder}/${id}`
  }

  return {
    async write(id, bytes) {
      const key = keyOf(id)
      try {
        await writeParts(client, key, bytes)
      } catch (error) {
        // A lost answer may have been a success; a store that gave none is not asked again, and the sweep finds it.
        if (error instanceof S3Failure && error.status === 0) throw error
        await client.text({ method: 'DELETE', key }).catch(() => undefined)
        throw error
      }
    },

    async size(id) {
      const { status, headers } = await client.text({ method: 'HEAD', key: keyOf(id), allow: [404] })
      return status === 404 ? null : Number(headers.get('content-length'))
    },

    async *read(id, limit = Infinity, from = 0) {
      const key = keyOf(id)
      let position = from
      let broken = 0
      let progress = performance.now()
      while (position < from + limit) {
        const last = limit === Infinity ? '' : String(from + limit - 1)
        const range: Record<string, string> =
          position === 0 && last === '' ? {} : { range: `bytes=${position}-${last}` }
        // 416: the object ends before the first requested byte.
        const pieces = await client.stream({ method: 'GET', key, headers: range, allow: [416] })
        if (pieces === null) return
        try {
          for await (const piece of pieces) {
            position += piece.byteLength
            broken = 0
            yield piece
            progress = performance.now()
          }
          return
        } catch (error) {
          broken++
          if (broken > RESUMED || performance.now() - progress >= timing.give_up_ms) throw noAnswer(error)
        }
      }
    },

    async remove(id) {
      await client.text({ method: 'DELETE', key: keyOf(id), allow: [404] })
    },

    async list(cursor) {
      const query = { 'list-type': '2', prefix, 'max-keys': '1000' }
      const more: Record<string, string> = cursor === null ? {} : { 'continuation-token': cursor }
      const { text } = await client.text({ method: 'GET', query: { ...query, ...more } })
      const objects = elements(text, 'Contents').flatMap((entry) => {
        const id = (element(entry, 'Key') ?? '').slice(prefix.length)
        return ids.test(id) ? [{ id, written_at: Date.parse(element(entry, 'LastModified') ?? '') }] : []
      })
      return { objects, next: element(text, 'NextContinuationToken') }
    },

    async removeUnfinished(before) {
      const query = { uploads: '', prefix, 'max-uploads': String(UPLOADS_PER_SWEEP) }
      // Not every store lists them; those that don't, remove them by themselves.
      const { status, text } = await client.text({ method: 'GET', query, allow: [400, 405, 501] })
      if (status !== 200) return 0
      let removed = 0
      for (const upload of elements(text, 'Upload')) {
        const id = (element(upload, 'Key') ?? '').slice(prefix.length)
        const uploadId = element(upload, 'UploadId')
        const begun = Date.parse(element(upload, 'Initiated') ?? '')
        if (!ids.test(id) || uploadId === null || !(begun < before)) continue
        await client.text({ method: 'DELETE', key: keyOf(id), query: { uploadId }, allow: [404] })
        removed++
      }
      return removed
    },
  }
}

async function reach(client: S3Client, prefix: string): Promise<void> {
  const { bucket, endpoint } = client.address
  const where = `the bucket ${bucket} at ${endpoint.origin}`
  try {
    await client.text({ method: 'GET', query: { 'list-type': '2', prefix, 'max-keys': '1' } })
  } catch (error) {
    if (!(error instanceof S3Failure)) throw error
    const { status, code } = error
    const why = code === '' ? '' : ` (${code})`
    if (status === 0) throw new StoreUnreachable(`REEVE_FILES_URL: ${endpoint.origin} does not answer${why}.`)
    if (status === 404) throw new StoreUnreachable(`REEVE_FILES_URL: there is no ${where.slice(4)}${why}.`)
    if (status === 401 || status === 403)
      throw new StoreUnreachable(
        `REEVE_FILES_URL: ${where} refuses these keys${why}. They need list, read, write and delete.`,
      )
    if (status >= 300 && status < 400)
      throw new StoreUnreachable(`REEVE_FILES_URL: ${where} is elsewhere${why}. Set its region and endpoint.`)
    throw new StoreUnreachable(`REEVE_FILES_URL: ${where} answers ${status}${why}.`)
  }
}
