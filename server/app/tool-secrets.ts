import type { Secrets } from '../chat/ports/secrets.ts'
import type { Vault } from '../kernel/vault.ts'
import { maskedValue } from '../modules/result/masked-value.ts'

/** Purpose under which call arguments that repeat a secret are sealed. */
const PURPOSE = 'tool arguments'

/** What the chat needs in order to keep modules' secrets out of what it stores. */
export function toolSecrets(vault: Vault, secretsFor: (module: string) => readonly string[]): Secrets {
  return {
    mask: (module, value) => maskedValue(value, secretsFor(module)),
    seal: (text) => vault.seal(PURPOSE, text),
    open: (sealed) => vault.open(PURPOSE, sealed),
  }
}
