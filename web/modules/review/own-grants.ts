import type { Capabilities, ModuleReview, ModuleSettings } from '../../../contract/modules.ts'

/**
 * The explicitly granted access of a module, without folders that only its settings name. Those come and go with the
 * settings and must not remain as grants.
 */
export function ownGrants(
  grants: Capabilities,
  settings: ModuleSettings | undefined,
  review: ModuleReview | null,
): Capabilities {
  const named = new Set(
    settings?.fields
      .filter(({ type }) => type === 'directory' || type === 'file')
      .flatMap((field) => settings.values[field.key] ?? field.default ?? [])
      .filter((value) => typeof value === 'string'),
  )
  const declared = new Set(review?.capabilities.folders.map(({ path }) => path))
  return { ...grants, folders: grants.folders.filter(({ path }) => declared.has(path) || !named.has(path)) }
}
