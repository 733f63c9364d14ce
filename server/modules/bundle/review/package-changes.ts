import { quoted, say } from '../../../kernel/sentence.ts'
import { bundleOrigin } from '../manifest/bundle-origin.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { shownText } from '../manifest/shown-text.ts'
import type { FoundWarning } from './found-warning.ts'

const SHOWN = 30

/** Which packages differ from those in the version before, for bundles that were packed from a registry. */
export function packageChanges(manifest: Manifest, previous: Manifest | undefined): FoundWarning[] {
  const [next, before] = [bundleOrigin(manifest), previous === undefined ? null : bundleOrigin(previous)]
  if (next === null || before === null) return []
  const added = next.packages.filter((one) => !before.packages.includes(one))
  const gone = before.packages.filter((one) => !next.packages.includes(one))
  const listed = [...added.map((one) => `+ ${one}`), ...gone.map((one) => `− ${one}`)]
  if (listed.length === 0) return []
  const more = listed.length > SHOWN ? ', …' : ''
  const names = quoted(
    `${listed
      .slice(0, SHOWN)
      .map((one) => shownText(one))
      .join(', ')}${more}`,
  )
  return [
    {
      code: 'packages_changed',
      level: 'info',
      message: say`Packages that are new in this version (${added.length}) or no longer in it (${gone.length}): ${names}.`,
    },
  ]
}
