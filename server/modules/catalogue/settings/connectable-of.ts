import type { Vault } from '../../../kernel/vault.ts'
import type { Connectable } from '../../connections/connectable.ts'
import { openSecrets } from '../module-terms.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import { CLIENT_ID, CLIENT_SECRET, signInOf } from './remote-settings.ts'

/** What connecting a module needs of its rows. */
export function connectableOf(vault: Vault, record: ModuleRecord): Connectable {
  const { name, url, allow_private, settings } = record
  const sign_in = signInOf(record)
  const client_id = settings[CLIENT_ID]
  const own = sign_in !== null && typeof client_id === 'string' && client_id !== ''
  const secret = own ? openSecrets(vault, record)[CLIENT_SECRET] : undefined
  const client = own ? { client_id, ...(secret !== undefined && { client_secret: secret }) } : null
  return { name, url: url ?? '', allow_private, sign_in, client }
}
