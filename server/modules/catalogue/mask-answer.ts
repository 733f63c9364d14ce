import { maskSecrets } from '../mask-secrets.ts'
import { SealError, type Vault } from '../../kernel/vault.ts'
import type { ModuleRecord } from './module-record.ts'
import { openSecrets } from './module-terms.ts'

/** Where texts stand that a module writes. The rest (names, states, hashes) is ours, and would be useless garbled. */
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

/** `answer` with the module's secrets masked in every text that may come from it: it may repeat them in whatever it says of itself. */
export function maskAnswer<T>(vault: Vault, record: ModuleRecord, answer: T): T {
  const secrets = secretsOf(vault, record)
  return secrets.length === 0 ? answer : (mask(answer, secrets, false) as T)
}

/** Values of the module's secrets, as they are masked; none where they cannot be opened, because then nobody was told them. */
function secretsOf(vault: Vault, record: ModuleRecord): string[] {
  try {
    return Object.values(openSecrets(vault, record))
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
