import type { ModuleReview } from '../../../../contract/modules.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { type FoundWarning, warningIn } from '../../bundle/review/found-warning.ts'
import { checkSettings } from '../../bundle/settings/check-settings.ts'
import { reviewBundle } from '../../bundle/review/review-bundle.ts'
import { isVariable } from '../store/stored-extras.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import type { InstalledVersion, ModuleRecord } from '../store/module-record.ts'
import { readContent } from '../store/module-store.ts'
import { fieldsOf } from '../module-terms.ts'

/**
 * What an administrator must know before enabling the current version, in a language; null for modules that aren't
 * bundles.
 */
export async function reviewOf(
  context: CatalogueContext,
  record: ModuleRecord,
  language: string,
): Promise<ModuleReview | null> {
  const { current, versions } = record
  if (current === null) return null
  const before = versions.find(({ installed_at }) => installed_at < current.installed_at)
  const review = await reviewVersion(context, record.name, current, before, language)
  const lost = lostSettings(record).map((warning) => warningIn(warning, language))
  return { ...review, warnings: [...review.warnings, ...lost] }
}

/** What one installed version runs and requests. */
export async function reviewVersion(
  context: CatalogueContext,
  module: string,
  { digest, manifest, signature }: InstalledVersion,
  previous?: InstalledVersion,
  language?: string,
): Promise<ModuleReview> {
  const content = (await readContent(context.db.read, module, digest)) ?? { files: {}, natives: [] }
  return reviewBundle({ ...content, manifest, signature }, previous, language)
}

/**
 * Warnings about saved settings that the current version does not take over. They stay saved for the previous version.
 */
function lostSettings(record: ModuleRecord): FoundWarning[] {
  const fields = new Map(fieldsOf(record).map((field) => [field.key, field]))
  const dropped = (key: string): FoundWarning => ({
    code: 'setting_dropped',
    level: 'warn',
    message: say`This version has no setting ${key}.`,
  })
  const retyped = (message: Sentence): FoundWarning => ({ code: 'setting_retyped', level: 'warn', message })
  const plain = Object.entries(record.settings).flatMap(([key, value]) => {
    const field = fields.get(key)
    if (field === undefined) return [dropped(key)]
    if (field.sensitive) {
      // It may be saved both as a plain value, for a version in which it isn't secret, and as a secret.
      return record.secrets.has(key)
        ? []
        : [retyped(say`The setting ${key} is a secret in this version. Enter it again.`)]
    }
    const fits = checkSettings([field], { [key]: value }).length === 0
    return fits ? [] : [retyped(say`The setting ${key} is not valid for this version. Enter it again.`)]
  })
  const secret = [...record.secrets.keys()].flatMap((key) => {
    if (isVariable(key)) return []
    const field = fields.get(key)
    if (field === undefined) return [dropped(key)]
    if (field.sensitive || Object.hasOwn(record.settings, key)) return []
    return [retyped(say`The setting ${key} is not a secret in this version. Enter it again.`)]
  })
  return [...plain, ...secret]
}
