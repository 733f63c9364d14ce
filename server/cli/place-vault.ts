import type { Vault } from '../kernel/vault.ts'
import { openVault, readKey } from '../kernel/vault.ts'
import { vaultThatFits } from '../operation/key-check.ts'
import { CommandProblem } from './command.ts'
import type { Place } from './open-place.ts'

/** The vault of this installation; its key is neither created nor recorded here. @throws {WrongKey, CommandProblem} */
export async function placeVault({ config, db }: Place): Promise<Vault> {
  // Before the settings table existed, no key was recorded.
  const noted = db.opened.pending.includes('0006-modules') ? null : await vaultThatFits(db.read, config)
  if (noted !== null) return noted
  const key = readKey(config.dataFolder, config.secretKey)
  if (key !== null) return openVault(key)
  throw new CommandProblem('There is no secret key yet. Start the service once, or set REEVE_SECRET_KEY.')
}
