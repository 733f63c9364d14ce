import type { ModuleReview } from '../../../contract/modules.ts'
import { checkSettings } from '../bundle/check-settings.ts'
import { reviewBundle } from '../bundle/review-bundle.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import type { InstalledVersion, ModuleRecord } from './module-record.ts'
import { readContent } from './module-store.ts'
import { fieldsOf } from './module-terms.ts'

/** What somebody has to know before enabling the current version; null for modules that are no bundles. */
export async function reviewOf(context: CatalogueContext, record: ModuleRecord): Promise<ModuleReview | null> {
  const { current, versions } = record
  if (current === null) return null
  const before = versions.find(({ installed_at }) => installed_at < current.installed_at)
  const review = await reviewVersion(context, record.name, current, before)
  return { ...review, warnings: [...review.warnings, ...lostSettings(record)] }
}

/** What one installed version runs and wants. */
export async function reviewVersion(
  context: CatalogueContext,
  module: string,
  { digest, manifest, signature }: InstalledVersion,
  previous?: InstalledVersion,
): Promise<ModuleReview> {
  const content = (await readContent(context.db.read, module, digest)) ?? { files: {}, natives: [] }
  return reviewBundle({ ...content, manifest, signature }, previous)
}

/** Saved settings that the current version does not take over. They stay saved for the version before. */
function lostSettings(record: ModuleRecord): ModuleReview['warnings'] {
  const fields = new Map(fieldsOf(record).map((field) => [field.key, field]))
  const warn = (code: string, key: string, why: string) => ({
    code,
    level: 'warn' as const,
    message: `The setting ${key} ${why}.`,
  })
  const plain = Object.entries(record.settings).flatMap(([key, value]) => {
    const field = fields.get(key)
    if (field === undefined) return [warn('setting_dropped', key, 'is not known to this version')]
    if (field.sensitive) {
      // A version that never saw it as a secret may stand beside one that does.
      return record.secrets.has(key)
        ? []
        : [warn('setting_retyped', key, 'is a secret in this version: enter it again')]
    }
    const fits = checkSettings([field], { [key]: value }).length === 0
    return fits ? [] : [warn('setting_retyped', key, 'does not fit this version any more: enter it again')]
  })
  const secret = [...record.secrets.keys()].flatMap((key) => {
    const field = fields.get(key)
    if (field === undefined) return [warn('setting_dropped', key, 'is not known to this version')]
    if (field.sensitive || Object.hasOwn(record.settings, key)) return []
    return [warn('setting_retyped', key, 'is no secret in this version: enter it again')]
  })
  return [...plain, ...secret]
}
