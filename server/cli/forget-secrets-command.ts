import { openAudit } from '../accounts/audit/audit.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { lookAtPostgres } from '../db/snapshot/postgres-place.ts'
import { loadOrCreateKey, openVault } from '../kernel/vault.ts'
import { countSealed, forgetSealed, type SealedCounts } from '../operation/forget-secrets.ts'
import { noteKey } from '../operation/key-check.ts'
import { commandLineCaller } from './command-line-caller.ts'
import { type Command, CommandProblem } from './command.ts'
import { openCurrentPlace } from './open-place.ts'

/** `reeve forget-secrets`: continues with the existing key, without the values only the lost one could open. */
export const forgetSecretsCommand: Command = {
  summary: 'continue with another secret key after losing it, without the values sealed with it',
  usage: 'forget-secrets [--yes]',
  about: `The service must be stopped. Without --yes it only says what would be removed: module passwords, the key of the AI engine,
the key that signs receipts (a new one is made; receipts signed with the old one can still be verified), the SSH key (a new one is
made, and the setup script must be run again on each machine), and users' second factors
(apps and their backup codes; passkeys stay), who then sign in with the password alone. From then on the key is the one in
REEVE_SECRET_KEY or secret.key; if there is none, one is created.`,
  options: { yes: { type: 'boolean', default: false } },
  async run(terminal, { values }) {
    await using place = await openCurrentPlace(terminal)
    const { config, db } = place
    const { dataFolder, databaseUrl, secretKey } = config
    const sealed = await countSealed(db.read)
    if (values['yes'] !== true)
      return {
        code: 1,
        value: { ok: false, would_forget: sealed },
        text: `This would be permanently removed. ${told(sealed)} Stop the service and add --yes to continue.`,
      }
    using _lock = databaseUrl === null ? lockFolder(dataFolder) : null
    if (databaseUrl !== null && (await lookAtPostgres(databaseUrl)).inUse)
      throw new CommandProblem('A Reeve is running on this database. Stop every process of it first.')
    const vault = openVault(loadOrCreateKey(dataFolder, secretKey))
    const audit = openAudit(db, Date.now)
    const forgotten = await db.transaction(async (trx) => {
      const counts = await forgetSealed(trx)
      await noteKey(trx, vault, true)
      const details = { ...counts }
      await audit.record(trx, {
        actor: commandLineCaller(),
        action: 'secrets.forgotten',
        target: '',
        outcome: 'ok',
        details,
      })
      return counts
    })
    return {
      code: 0,
      value: { ok: true, forgotten },
      text: `Removed. ${told(forgotten)} Keep the current key in a safe place, start the service, and enter the values again.`,
    }
  },
}

function told(sealed: SealedCounts): string {
  const { module_secrets, engine_keys, second_factors, signing_keys, ssh_keys, channel_secrets } = sealed
  return `Module passwords: ${module_secrets}. Keys of AI engines: ${engine_keys}. Second factors: ${second_factors}. Keys that sign receipts: ${signing_keys}. SSH keys: ${ssh_keys}. Passwords of channels: ${channel_secrets}.`
}
