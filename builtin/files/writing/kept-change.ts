import { createHash } from 'node:crypto'
import { CHANGE_BYTES, type ToolChange } from '../../../server/chat/ports/tools.ts'

/** A change of a stored file as Reeve keeps it: the bytes of each side up to a limit, beyond it only their hash. */
export function keptChange(
  { file_id, name }: { readonly file_id: string; readonly name: string },
  before: { readonly data: Buffer; readonly sha256: string } | null,
  after: Buffer | null,
): ToolChange {
  return {
    target: `file:${file_id}`,
    name,
    before_hash: before?.sha256 ?? null,
    after_hash: after === null ? null : createHash('sha256').update(after).digest('hex'),
    before: before === null ? null : kept(before.data),
    after: after === null ? null : kept(after),
  }
}

function kept(data: Buffer): string | null {
  return data.byteLength > CHANGE_BYTES ? null : data.toString('base64')
}
