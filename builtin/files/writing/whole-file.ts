import { createHash } from 'node:crypto'
import type { FilesCaller, ModuleFiles } from '../../../server/modules/module-files.ts'

/** A larger file is not replaced: what it held could not be compared. */
const READ_LIMIT = 16 * 1024 * 1024

export interface WholeFile {
  readonly file_id: string
  readonly name: string
  readonly size: number
  readonly data: Buffer
  /** Of these bytes, in hexadecimal. */
  readonly sha256: string
}

/** A stored file with its bytes. Rejects with a sentence. */
export async function wholeFile(files: ModuleFiles, caller: FilesCaller, id_or_name: string): Promise<WholeFile> {
  const { file_id, name, size } = await files.find(caller, id_or_name)
  if (size > READ_LIMIT)
    throw new Error(`${name} has ${size} bytes; files beyond ${READ_LIMIT} bytes are not replaced. Write a new one.`)
  const pieces: Uint8Array[] = []
  for await (const piece of await files.open(caller, file_id)) pieces.push(piece)
  const data = Buffer.concat(pieces)
  return { file_id, name, size: data.byteLength, data, sha256: createHash('sha256').update(data).digest('hex') }
}
