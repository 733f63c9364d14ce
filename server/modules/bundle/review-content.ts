import type { ModuleWarning } from '../../../contract/modules.ts'
import { shownText } from './shown-text.ts'
import { compatibility, namedPlatforms } from './compatibility.ts'
import type { UnpackedBundle } from './unpacked-bundle.ts'

type Content = Pick<UnpackedBundle, 'manifest' | 'files' | 'natives'>

/** What somebody should know of the files in a bundle, and of what they run on. */
export function reviewContent({ manifest, files, natives }: Content): ModuleWarning[] {
  const warnings: ModuleWarning[] = []
  const warn = (code: string, level: ModuleWarning['level'], message: string): void => {
    warnings.push({ code, level, message })
  }
  const { ok, problem } = compatibility(manifest, files, natives)
  if (!ok) warn('incompatible', 'danger', problem ?? 'It does not run here.')
  const platforms = namedPlatforms(manifest)
  if (ok && platforms !== null && !platforms.includes(process.platform))
    warn(
      'platform',
      'warn',
      `It is made for ${shownText(platforms.join(', '))}; this machine runs ${process.platform}. It may still work.`,
    )

  const entry = manifest.server.entry_point.replace(/^(?:\.\/|\$\{__dirname\}\/)/, '')
  if (entry.startsWith('/') || entry.split(/[\\/]/).includes('..'))
    warn('entry_outside', 'danger', `“server.entry_point” leads out of the bundle: ${shownText(entry)}`)
  else if (!Object.hasOwn(files, entry) && !Object.hasOwn(files, `${entry}.exe`))
    warn('entry_missing', 'warn', `The file that “server.entry_point” names is not in the bundle: ${shownText(entry)}`)

  const libraries = natives.filter(({ path }) => /\.(?:node|so|dylib|dll)(?:\.|$)/.test(path))
  const started = natives.length - libraries.length
  if (libraries.length > 0)
    warn(
      'native_code',
      'info',
      `It brings ${count(libraries.length, 'library', 'libraries')} in machine code, which no one can read: ${list(libraries.map(({ path }) => path))}.`,
    )
  if (started > 0 && manifest.server.type !== 'binary')
    warn(
      'programs_inside',
      'warn',
      `It brings ${count(started, 'program', 'programs')} in machine code: ${list(natives.filter((native) => !libraries.includes(native)).map(({ path }) => path))}.`,
    )
  const unbuilt = Object.keys(files).filter((path) => /(?:^|\/)binding\.gyp$/.test(path))
  if (unbuilt.length > 0)
    warn(
      'install_scripts',
      'info',
      `It holds parts that are built by install scripts, which are never run: ${list(unbuilt)}.`,
    )
  const links = [manifest.homepage, manifest.documentation, manifest.support, manifest.author.url].filter(
    (link) => link !== undefined && link !== '' && !/^https?:\/\//i.test(link),
  )
  if (links.length > 0)
    warn('bad_link', 'warn', `Links that are no web addresses are not shown: ${list(links.map(String))}.`)
  if ([manifest.icon, ...(manifest.icons ?? []).map(({ src }) => src)].some((icon) => /^[a-z]+:/i.test(icon ?? '')))
    warn('remote_icon', 'info', 'Its icon is on another machine and is not fetched.')
  return warnings
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function list(items: readonly string[]): string {
  const shown = items.slice(0, 5).map((item) => (item.length > 120 ? `${item.slice(0, 120)}…` : item))
  return shownText(shown.join(', '), 700) + (items.length > 5 ? ` and ${items.length - 5} more` : '')
}
