import type { WantedExtras } from '../../../../contract/modules.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { Vault } from '../../../kernel/vault.ts'
import type { Trx } from '../../../db/database.ts'
import { maySet } from '../../bundle/manifest/launch-template.ts'
import { secretPurpose } from '../module-terms.ts'
import { saveRow, saveSecret } from '../store/module-rows.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import { isVariable, storedExtras, variableKey } from '../store/stored-extras.ts'

/** The variables with their values. @throws {SealError} */
export function openVariables(vault: Vault, { name, extras, secrets }: ModuleRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    extras.env.flatMap((variable) => {
      const key = variableKey(variable)
      const sealed = secrets.get(key)
      return sealed === undefined ? [] : [[variable, vault.open(secretPurpose(name, key), sealed.sealed)]]
    }),
  )
}

/**
 * A module with these extras instead of its own. A variable without a value keeps the one that it has.
 * @throws {AppError} invalid_request
 */
export function withExtras(vault: Vault, record: ModuleRecord, wanted: WantedExtras): ModuleRecord {
  const secrets = new Map([...record.secrets].filter(([key]) => !isVariable(key)))
  const names = new Set<string>()
  for (const [index, { name, value }] of wanted.env.entries()) {
    const path = `extras.env.${index}.name`
    const refuse = (message: ReturnType<typeof say>) =>
      new AppError('invalid_request', message, { errors: [{ path, message }] })
    if (!maySet(name, value ?? '')) throw refuse(say`The environment variable ${name} cannot be given to a module.`)
    if (names.has(name)) throw refuse(say`The environment variable ${name} is there twice.`)
    names.add(name)
    const key = variableKey(name)
    const kept = record.secrets.get(key)
    if (value !== undefined)
      secrets.set(key, { sealed: vault.seal(secretPurpose(record.name, key), value), updated_at: 0 })
    else if (kept === undefined) throw refuse(say`The environment variable ${name} has no value yet.`)
    else secrets.set(key, kept)
  }
  return { ...record, secrets, extras: { args: [...wanted.args], env: [...names].sort() } }
}

/** Stores what `withExtras` changed. */
export async function saveExtras(trx: Trx, before: ModuleRecord, after: ModuleRecord, now: number): Promise<void> {
  await saveRow(trx, before, { extras: storedExtras(after.extras) }, now)
  for (const [key, { sealed }] of after.secrets) {
    if (isVariable(key) && before.secrets.get(key)?.sealed !== sealed)
      await saveSecret(trx, after.name, key, sealed, now)
  }
  const gone = [...before.secrets.keys()].filter((key) => isVariable(key) && !after.secrets.has(key))
  if (gone.length > 0)
    await trx.deleteFrom('module_secret').where('module', '=', after.name).where('key', 'in', gone).execute()
}
