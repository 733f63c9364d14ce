import { compare, maxSatisfying, satisfies, validRange } from 'semver'
import type { PackageDocument, PackageVersion } from './package-document.ts'

/** What a dependency names: another package's name (`npm:` alias) and a range or tag. Null for what no registry has. */
export function readRequest(name: string, wanted: string): { readonly name: string; readonly range: string } | null {
  const text = wanted.trim()
  const alias = /^npm:((?:@[^/@\s]+\/)?[^/@\s]+)(?:@(.*))?$/.exec(text)
  if (alias !== null) return { name: alias[1]!, range: alias[2]?.trim() || '*' }
  if (validRange(text) !== null) return { name, range: text === '' ? '*' : text }
  // A tag; everything else is an address, a folder, a repository, or a workspace.
  return /^[a-z0-9][a-z0-9._-]*$/i.test(text) ? { name, range: text } : null
}

/** The version that a range or tag means, as npm chooses: what is tagged `latest`, if it fits, else the highest. */
export function pickVersion({ tags, versions }: PackageDocument, range: string): PackageVersion | null {
  if (Object.hasOwn(tags, range)) return versions.get(tags[range]!) ?? null
  if (validRange(range) === null) return null
  const latest = tags['latest']
  const tagged = latest === undefined ? undefined : versions.get(latest)
  if (tagged !== undefined && (range === '*' || satisfies(tagged.version, range))) return tagged
  const all = [...versions.values()]
  const current = all.filter(({ deprecated }) => deprecated === undefined || deprecated === false || deprecated === '')
  const best = maxOf(current, range) ?? maxOf(all, range)
  return best === null ? null : (versions.get(best) ?? null)
}

function maxOf(versions: readonly PackageVersion[], range: string): string | null {
  return maxSatisfying(versions.map(({ version }) => version).sort(compare), range)
}
