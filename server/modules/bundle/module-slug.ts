import { fold } from '../../kernel/text.ts'
import { BundleError } from './bundle-error.ts'
import { shownText } from './shown-text.ts'

const LENGTH_LIMIT = 64
/** Words that stand where a module's name stands in addresses. */
const RESERVED = ['removed', 'backups', 'backup', 'policy', 'install', 'remote', 'sdk-ai']

/**
 * The name of a module in addresses and tool names, made from the manifest's name: at most 64 of a-z, 0-9 and `-`. Case, accents, width
 * and punctuation do not tell two modules apart.
 * @throws {BundleError} `bad_manifest` when nothing usable remains, or the name holds what nobody sees.
 */
export function moduleSlug(name: string): string {
  if (/\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0\u2800]/u.test(name))
    throw new BundleError('bad_manifest', `The name “${shownText(name)}” holds invisible characters.`, 'manifest.json')
  const slug = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LENGTH_LIMIT)
    .replace(/^-+|-+$/g, '')
  if (slug === '')
    throw new BundleError(
      'bad_manifest',
      `The name “${shownText(name)}” has no Latin letter and no digit to name the module by.`,
      'manifest.json',
    )
  return RESERVED.includes(slug) ? `${slug}-module` : slug
}
