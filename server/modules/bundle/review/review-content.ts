import { type Sentence, quoted, say } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import { bundleOrigin } from '../manifest/bundle-origin.ts'
import { compatibility, namedPlatforms } from '../manifest/compatibility.ts'
import type { UnpackedBundle } from '../archive/unpacked-bundle.ts'
import type { FoundWarning } from './found-warning.ts'

type Content = Pick<UnpackedBundle, 'manifest' | 'files' | 'natives'>

/** Warnings about the files in a bundle and the machine that they need. */
export function reviewContent({ manifest, files, natives }: Content): FoundWarning[] {
  const warnings: FoundWarning[] = []
  const warn = (code: string, level: FoundWarning['level'], message: Sentence): void => {
    warnings.push({ code, level, message })
  }
  const { ok, problem } = compatibility(manifest, files, natives)
  if (!ok) warn('incompatible', 'danger', problem ?? say`It does not run on this machine.`)
  const platforms = namedPlatforms(manifest)
  if (ok && platforms !== null && !platforms.includes(process.platform))
    warn(
      'platform',
      'warn',
      say`It is made for ${shownText(platforms.join(', '))}; this machine runs ${process.platform}. It may still work.`,
    )

  const entry = manifest.server.entry_point.replace(/^(?:\.\/|\$\{__dirname\}\/)/, '')
  if (entry.startsWith('/') || entry.split(/[\\/]/).includes('..'))
    warn('entry_outside', 'danger', say`“server.entry_point” leads out of the bundle: ${shownText(entry)}`)
  else if (!Object.hasOwn(files, entry) && !Object.hasOwn(files, `${entry}.exe`))
    warn('entry_missing', 'warn', say`The file named by “server.entry_point” is not in the bundle: ${shownText(entry)}`)

  const libraries = natives.filter(({ path }) => /\.(?:node|so|dylib|dll)(?:\.|$)/.test(path))
  const started = natives.length - libraries.length
  if (libraries.length > 0)
    warn(
      'native_code',
      'info',
      say`It contains compiled libraries, which cannot be reviewed (${libraries.length}): ${list(libraries.map(({ path }) => path))}.`,
    )
  if (started > 0 && manifest.server.type !== 'binary')
    warn(
      'programs_inside',
      'warn',
      say`It contains compiled programs (${started}): ${list(natives.filter((native) => !libraries.includes(native)).map(({ path }) => path))}.`,
    )
  const unbuilt = Object.keys(files).filter((path) => /(?:^|\/)binding\.gyp$/.test(path))
  if (unbuilt.length > 0)
    warn(
      'install_scripts',
      'info',
      say`Some of its parts are built by install scripts, which are never run: ${list(unbuilt)}.`,
    )
  const origin = bundleOrigin(manifest)
  if (origin !== null && origin.scripts.length > 0)
    warn(
      'scripts_not_run',
      'warn',
      say`Packages in it would run scripts when npm installs them. They were not run, so what those would have fetched or built is missing: ${list(origin.scripts)}.`,
    )
  const links = [manifest.homepage, manifest.documentation, manifest.support, manifest.author.url].filter(
    (link) => link !== undefined && link !== '' && !/^https?:\/\//i.test(link),
  )
  if (links.length > 0)
    warn('bad_link', 'warn', say`Links that aren’t web addresses are not shown: ${list(links.map(String))}.`)
  if ([manifest.icon, ...(manifest.icons ?? []).map(({ src }) => src)].some((icon) => /^[a-z]+:/i.test(icon ?? '')))
    warn('remote_icon', 'info', say`Its icon is on another machine and is not fetched.`)
  return warnings
}

function list(items: readonly string[]): Sentence {
  const names = items.slice(0, 5).map((item) => (item.length > 120 ? `${item.slice(0, 120)}…` : item))
  const shown = shownText(names.join(', '), 700)
  return items.length > 5 ? say`${shown} and ${items.length - 5} more` : quoted(shown)
}
