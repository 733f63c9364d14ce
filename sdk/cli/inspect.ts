import { moduleTexts } from '../../server/modules/bundle/manifest/module-texts.ts'
import { reviewBundle } from '../../server/modules/bundle/review/review-bundle.ts'
import { settingFields } from '../../server/modules/bundle/settings/setting-fields.ts'
import { openBundle } from './opened-bundle.ts'

/** A bundle as the administrator sees it before enabling it. */
export async function inspect(path: string) {
  await using bundle = await openBundle(path)
  const { display_name, description, author } = moduleTexts(bundle.manifest)
  return {
    name: bundle.slug,
    display_name,
    version: bundle.manifest.version,
    description,
    author,
    digest: bundle.digest,
    size: bundle.size,
    files: Object.keys(bundle.files).length,
    settings: settingFields(bundle.manifest),
    review: reviewBundle(bundle),
  }
}

/** The same as readable text. */
export function describeInspection(found: Awaited<ReturnType<typeof inspect>>): string {
  const { review } = found
  const reach = review.capabilities
  const list = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.join(', '))
  const network = typeof reach.network === 'string' ? reach.network : list(reach.network)
  const folders = reach.folders.map(({ path, write }) => `${path} (${write ? 'read and write' : 'read'})`)
  return [
    `${found.display_name} ${found.version} (${found.name}), by ${found.author}`,
    found.description,
    `${found.files} files, ${found.size} bytes, SHA-256 ${found.digest}`,
    '',
    `Runs      ${[review.command, ...review.args].join(' ')}`,
    `Variables ${list(review.env_keys)}`,
    `Network   ${network}`,
    `Folders   ${list(folders)}`,
    `Commands  ${list(reach.commands)}`,
    `Settings  ${list(found.settings.map(({ key, sensitive, required }) => `${key}${sensitive ? ' (secret)' : ''}${required ? ' (required)' : ''}`))}`,
    `Tools     ${list(review.tools.map(({ name }) => name))}`,
    `Signature ${review.signature.state}: ${review.signature.detail}`,
    ...review.warnings.map(({ level, code, message }) => `${level.padEnd(9)} ${code}: ${message}`),
  ].join('\n')
}
