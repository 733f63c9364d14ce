import type { ChannelTable } from '../db/rows/notification-tables.ts'
import { SealError, type Vault } from '../kernel/vault.ts'

function purpose(channel_id: string): string {
  return `channel:${channel_id}`
}

export function sealSecret(vault: Vault, channel_id: string, secret: string | null): string | null {
  return secret === null ? null : vault.seal(purpose(channel_id), secret)
}

/** Null where there is none, or none that this installation can open. */
export function openSecret(
  vault: Vault,
  { channel_id, secret_sealed }: Pick<ChannelTable, 'channel_id' | 'secret_sealed'>,
): string | null {
  if (secret_sealed === null) return null
  try {
    return vault.open(purpose(channel_id), secret_sealed)
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}
