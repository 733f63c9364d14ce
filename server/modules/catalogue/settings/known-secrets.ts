import type { Vault } from '../../../kernel/vault.ts'
import { secretsOf } from './mask-answer.ts'
import type { ModuleRecord } from '../store/module-record.ts'

/**
 * Shorter secrets of other modules are not masked: they may be ordinary words, and masking them would garble unrelated
 * text.
 */
const FOREIGN_SHORTEST = 8

type Records = ReadonlyMap<string, ModuleRecord>

/**
 * Returns the secrets to mask for a module: its own and the long ones of all others. They are opened once per state of
 * the rows.
 */
export function knownSecrets(vault: Vault, records: () => Records): (module: string) => readonly string[] {
  let of: Records | null = null
  let own = new Map<string, string[]>()
  const known = new Map<string, readonly string[]>()
  return (module) => {
    if (of !== records()) {
      of = records()
      own = new Map([...of.values()].map((record) => [record.name, secretsOf(vault, record)]))
      known.clear()
    }
    // A name that isn't a module's shares one list, so that made-up names cannot fill the cache.
    const name = own.has(module) ? module : ''
    let secrets = known.get(name)
    if (secrets === undefined) {
      secrets = [...own].flatMap(([other, values]) =>
        other === name ? values : values.filter((value) => value.length >= FOREIGN_SHORTEST),
      )
      known.set(name, secrets)
    }
    return secrets
  }
}
