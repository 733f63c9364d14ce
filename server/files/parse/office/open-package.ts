import { fromBufferPromise, type Entry } from 'yauzl'
import { say } from '../../../kernel/sentence.ts'
import { DocumentError } from '../document-error.ts'

const ENTRY_LIMIT = 20_000
const MIB = 1024 * 1024
/** Unpacked bytes of one part, and of all parts that are read. */
const PART_LIMIT = 64 * MIB
const TOTAL_LIMIT = 192 * MIB

/** A document that is a ZIP archive of parts. */
export interface DocumentPackage {
  readonly names: readonly string[]
  /** The unpacked bytes; null when there is no such part. @throws {DocumentError} */
  part(name: string): Promise<Uint8Array | null>
}

/**
 * Opens an office document. Parts are unpacked one by one, on demand, and never beyond the limits. @throws
 * {DocumentError}
 */
export async function openPackage(bytes: Buffer): Promise<DocumentPackage> {
  refuseOldContainer(bytes)
  const zip = await fromBufferPromise(bytes).catch(damaged)
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= ENTRY_LIMIT) throw new DocumentError('failed', say`It holds more than ${ENTRY_LIMIT} parts.`)
      // The first entry of a name counts, here as in the programs that write such files.
      if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry)
    }
  } catch (error) {
    damaged(error)
  }
  let total = 0
  return {
    names: [...entries.keys()],
    async part(name) {
      const entry = entries.get(name)
      if (entry === undefined) return null
      if (entry.isEncrypted()) throw new DocumentError('failed', say`The file is protected by a password.`)
      const pieces: Buffer[] = []
      let size = 0
      try {
        for await (const piece of await zip.openReadStreamPromise(entry)) {
          const bytes_ = piece as Buffer
          size += bytes_.byteLength
          total += bytes_.byteLength
          if (size > PART_LIMIT || total > TOTAL_LIMIT)
            throw new DocumentError(
              'failed',
              say`Unpacked, it is larger than ${(size > PART_LIMIT ? PART_LIMIT : TOTAL_LIMIT) / MIB} MB.`,
            )
          pieces.push(bytes_)
        }
      } catch (error) {
        damaged(error)
      }
      return Buffer.concat(pieces)
    },
  }
}

/** Old binary office files, and new ones with a password, are compound files instead of archives. */
function refuseOldContainer(bytes: Buffer): void {
  if (!bytes.subarray(0, 8).equals(Buffer.from('d0cf11e0a1b11ae1', 'hex'))) return
  if (bytes.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    throw new DocumentError('failed', say`The file is protected by a password.`)
  throw new DocumentError(
    'unsupported',
    say`The file has the old binary format of office programs. Save it in the current format and upload it again.`,
  )
}

function damaged(error: unknown): never {
  if (error instanceof DocumentError) throw error
  throw new DocumentError('failed', say`The file is damaged, or is not what its name says.`)
}
