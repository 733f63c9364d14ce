import { maskSecrets } from '../../result/mask-secrets.ts'
import { SealError, type Vault } from '../../../kernel/vault.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import { openVariables } from './launch-extras.ts'
import { openSecrets } from '../module-terms.ts'
import { remoteSecrets } from './remote-settings.ts'

/**
 * The fields with texts that a module writes. The others (names, states, hashes) are ours and would be useless if
 * garbled.
 */
const MODULE_TEXTS = new Set([
  'problem',
  'title',
  'description',
  'message',
  'reason',
  'input_schema',
  'arguments',
  'details',
  'server',
  'log',
  'stderr',
])

/**
 * `answer` with the module's secrets masked in every text that may come from the module, which could repeat them
 * anywhere.
 */
export function maskAnswer<T>(vault: Vault, record: ModuleRecord, answer: T): T {
  const secrets = secretsOf(vault, record)
  return secrets.length === 0 ? answer : (mask(answer, secrets, false) as T)
}

/**
 * The values of the module's secrets, for masking; none if they cannot be opened, because then the module never
 * received them.
 */
export function secretsOf(vault: Vault, record: ModuleRecord): string[] {
  try {
    const opened = openSecrets(vault, record)
    if (record.kind === 'remote') return remoteSecrets(opened)
    return [...Object.values(opened), ...Object.values(openVariables(vault, record))]
  } catch (error) {
    if (error instanceof SealError) return []
    throw error
  }
}

function mask(value: unknown, secrets: readonly string[], inText: boolean): unknown {
  if (typeof value === 'string') return inText ? maskSecrets(value, secrets) : value
  if (Array.isArray(value)) return value.map((item) => mask(item, secrets, inText))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      inText ? maskSecrets(key, secrets) : key,
      mask(item, secrets, inText || MODULE_TEXTS.has(key)),
    ]),
  )
}
