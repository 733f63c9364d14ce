import type { SettingField, SettingValue } from '../../../../contract/modules.ts'
import type { Caller } from '../../../../contract/route.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { checkSettings } from '../../bundle/settings/check-settings.ts'
import { maskSentence } from '../../result/mask-sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import type { ModuleRecord } from '../store/module-record.ts'
import { forgetConnections } from '../../connections/connection-rows.ts'
import { remoteProblems, signInOf } from './remote-settings.ts'
import { refuseRunningCall } from '../store/running-calls.ts'
import { saveRow, saveSecret } from '../store/module-rows.ts'
import { fieldsOf, namedFolders, secretPurpose } from '../module-terms.ts'
import { refusedFolder } from '../own-folders.ts'

export interface SettingsChange {
  readonly values: Readonly<Record<string, SettingValue>>
  readonly clear_fields: readonly string[]
}
interface FieldError {
  path: string
  message: Sentence
}

/**
 * Changes the named settings and leaves the others. A running module is restarted with them automatically. Nothing that
 * starts a module is a setting, so no command can be changed here.
 * @throws {AppError} invalid_request with everything that is wrong; then nothing was changed
 */
export async function saveSettings(
  context: CatalogueContext,
  name: string,
  change: SettingsChange,
  caller: Caller,
): Promise<void> {
  await context.locks.hold(name, async () => {
    const record = context.record(name)
    const fields = new Map(fieldsOf(record).map((field) => [field.key, field]))
    const errors = await problemsOf(context, record, fields, change)
    if (errors.length > 0) throw new AppError('invalid_request', say`Some settings are not usable.`, { errors })

    const given = Object.entries(change.values)
    const set = given.filter(([, value]) => !isEmpty(value))
    const cleared = [...change.clear_fields, ...given.filter(([, value]) => isEmpty(value)).map(([key]) => key)]
    if (set.length + cleared.length === 0) return
    await refuseRunningCall(context, name)
    const kept = Object.entries(record.settings).filter(([key]) => !cleared.includes(key))
    const plain = set.filter(([key]) => !fields.get(key)?.sensitive)
    await context.change(record, {
      caller,
      action: 'module.settings_changed',
      idle: true,
      details: { set: set.map(([key]) => key).sort(), cleared: cleared.sort() },
      async work(trx, now) {
        const settings = Object.fromEntries([...kept, ...plain])
        await saveRow(trx, record, { settings: JSON.stringify(settings) }, now)
        // Who connected for themselves has not connected for everybody, and the other way round.
        if (signInOf({ kind: record.kind, settings }) !== signInOf(record)) await forgetConnections(trx, name)
        for (const [key, value] of set) {
          if (!fields.get(key)?.sensitive) continue
          await saveSecret(trx, name, key, context.vault.seal(secretPurpose(name, key), String(value)), now)
        }
        if (cleared.length === 0) return
        await trx.deleteFrom('module_secret').where('module', '=', name).where('key', 'in', cleared).execute()
      },
    })
    // Once they are reported as saved, the next call must have them. A module that does not come up with them shows it
    // in its state.
    if (context.host.runtime(name) !== undefined) await context.host.started(name).catch(() => undefined)
  })
}

async function problemsOf(
  context: CatalogueContext,
  record: ModuleRecord,
  fields: ReadonlyMap<string, SettingField>,
  { values, clear_fields }: SettingsChange,
): Promise<FieldError[]> {
  const errors: FieldError[] = []
  const known: Record<string, SettingValue> = {}
  for (const [key, value] of Object.entries(values)) {
    const field = fields.get(key)
    const refuse = (message: Sentence) => errors.push({ path: `values.${key}`, message })
    if (field === undefined) refuse(say`There is no such setting.`)
    else if (clear_fields.includes(key)) refuse(say`Cannot be set and cleared at once.`)
    else if (!isEmpty(value)) known[key] = value
    else if (field.required) refuse(say`Is required.`)
  }
  for (const [index, key] of clear_fields.entries()) {
    const field = fields.get(key)
    if (field === undefined) errors.push({ path: `clear_fields.${index}`, message: say`There is no such setting.` })
    else if (field.required) errors.push({ path: `clear_fields.${index}`, message: say`Is required.` })
  }
  const list = [...fields.values()]
  const secrets = Object.entries(known).flatMap(([key, value]) => (fields.get(key)?.sensitive ? [String(value)] : []))
  for (const { path, message } of checkSettings(list, known)) {
    errors.push({ path: `values.${path}`, message: maskSentence(message, secrets) })
  }
  if (record.kind === 'remote')
    for (const { key, message } of remoteProblems(record.url, record.allow_private, known))
      errors.push({ path: `values.${key}`, message })
  const wrong = new Set(errors.map(({ path }) => path))
  const given = list.filter(({ key }) => Object.hasOwn(known, key) && !wrong.has(`values.${key}`))
  for (const { key, path } of namedFolders(given, known)) {
    const refused = await refusedFolder(path, context.dataFolder)
    if (refused !== null) errors.push({ path: `values.${key}`, message: refused })
  }
  return errors
}

/** A form sends an empty text or list for a field that was emptied. */
function isEmpty(value: SettingValue): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}
