import { say } from '../../../kernel/sentence.ts'
import { fold } from '../../../kernel/text/plain-text.ts'
import { BundleError } from '../bundle-error.ts'
import { shownText } from './shown-text.ts'

const LENGTH_LIMIT = 64
/** Words that appear in addresses where a module's name could be. */
const RESERVED = ['removed', 'backups', 'backup', 'policy', 'install', 'remote', 'sdk-ai']

/**
 * The name of a module in addresses and tool names, derived from the manifest's name: at most 64 of a-z, 0-9 and `-`.
 * Names that differ only in case, accents, width or punctuation mean the same module.
 * @throws {BundleError} `bad_manifest` when nothing usable remains, or the name contains invisible characters.
 */
export function moduleSlug(name: string): string {
  if (/\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0\u2800]/u.test(name))
    throw new BundleError(
      'bad_manifest',
      say`The name “${shownText(name)}” contains invisible characters.`,
      'manifest.json',
    )
  const slug = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LENGTH_LIMIT)
    .replace(/^-+|-+$/g, '')
  if (slug === '')
    throw new BundleError(
      'bad_manifest',
      say`The name “${shownText(name)}” contains no Latin letter or digit to name the module by.`,
      'manifest.json',
    )
  return RESERVED.includes(slug) ? `${slug}-module` : slug
}
