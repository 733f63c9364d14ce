import { BundleError } from '../bundle-error.ts'
import { launchTemplate } from '../manifest/launch-template.ts'
import { lintLaunch } from './lint-launch.ts'
import { lintSettings } from './lint-settings.ts'
import { lintShape } from './lint-shape.ts'
import type { Lint } from './lint.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { moduleSlug } from '../manifest/module-slug.ts'
import { reeveMeta } from '../manifest/reeve-meta.ts'
import { reviewTexts } from '../review/review-texts.ts'
import { inVersionRange } from '../manifest/version-range.ts'

const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/**
 * Everything in a manifest that strict readers refuse or that trips people up, errors first. `paths` are the files in
 * the bundle. An installation refuses far less.
 */
export function lintManifest(manifest: Manifest, paths: Iterable<string>): Lint[] {
  const files = new Set(paths)
  const lints = [
    ...lintShape(manifest),
    ...lintIdentity(manifest),
    ...lintTools(manifest),
    ...lintParts(manifest, files),
  ]
  try {
    const template = launchTemplate(manifest)
    lints.push(...lintLaunch(manifest, template, files), ...lintSettings(manifest, template))
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    lints.push({ code: 'bad_launch', level: 'error', path: 'server', message: error.message })
  }
  for (const { code, message } of reviewTexts(manifest))
    lints.push({ code, level: 'error', path: '', message: message.toString() })
  const order = ['error', 'warn', 'info']
  return lints.sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level))
}

function lintIdentity(manifest: Manifest): Lint[] {
  const lints: Lint[] = []
  try {
    const slug = moduleSlug(manifest.name)
    if (slug !== manifest.name)
      lints.push({
        code: 'name_form',
        level: 'warn',
        path: 'name',
        message: `The module will be called “${slug}”: use that as the name.`,
      })
  } catch (error) {
    lints.push({ code: 'bad_name', level: 'error', path: 'name', message: error instanceof Error ? error.message : '' })
  }
  if (!SEMVER.test(manifest.version))
    lints.push({
      code: 'version_form',
      level: 'warn',
      path: 'version',
      message: 'Use a semantic version such as 1.2.3: upgrades are recognised by it.',
    })
  if (manifest.description.trim() === '')
    lints.push({
      code: 'no_text',
      level: 'warn',
      path: 'description',
      message: 'Describe in one sentence what it does.',
    })
  if (manifest.license === undefined)
    lints.push({
      code: 'no_license',
      level: 'info',
      path: 'license',
      message: 'Name the license under which it may be used.',
    })
  return lints
}

function lintTools(manifest: Manifest): Lint[] {
  const lints: Lint[] = []
  const tools = manifest.tools ?? []
  if (tools.length === 0 && manifest.tools_generated !== true)
    lints.push({
      code: 'no_tools',
      level: 'warn',
      path: 'tools',
      message: 'List the tools, or set “tools_generated”: administrators see them before it runs.',
    })
  const names = new Set<string>()
  for (const [at, { name, description = '' }] of tools.entries()) {
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name))
      lints.push({
        code: 'tool_name',
        level: 'error',
        path: `tools.${at}.name`,
        message: 'Use 1 to 128 characters from A-Z, a-z, 0-9, “_”, “-” and “.”.',
      })
    if (names.has(name))
      lints.push({
        code: 'tool_twice',
        level: 'error',
        path: `tools.${at}.name`,
        message: `“${name}” is listed twice.`,
      })
    names.add(name)
    if (description.trim() === '')
      lints.push({
        code: 'no_text',
        level: 'warn',
        path: `tools.${at}.description`,
        message: 'Say what the tool does.',
      })
  }
  return lints
}

function lintParts(manifest: Manifest, files: ReadonlySet<string>): Lint[] {
  const lints: Lint[] = []
  const { icon, compatibility } = manifest
  if (icon !== undefined && (!files.has(icon.replace(/^\.\//, '')) || !icon.toLowerCase().endsWith('.png')))
    lints.push({ code: 'icon', level: 'warn', path: 'icon', message: 'Only a PNG file inside the bundle is shown.' })
  const range = compatibility?.runtimes?.node
  if (range !== undefined && inVersionRange('0.0.0', range) === null)
    lints.push({
      code: 'bad_range',
      level: 'warn',
      path: 'compatibility.runtimes.node',
      message: `“${range}” isn't a version range.`,
    })
  const meta = reeveMeta(manifest)
  if (meta.capabilities === undefined)
    lints.push({
      code: 'no_capabilities',
      level: 'info',
      path: '_meta["dev.reeve"].capabilities',
      message: 'Without it the module may reach only its own folders until an administrator grants more.',
    })
  if (meta.instances === undefined)
    lints.push({
      code: 'no_instances',
      level: 'info',
      path: '_meta["dev.reeve"].instances',
      message: 'Say “stateless” if it keeps nothing between calls. Without it, one process runs it for all others.',
    })
  return lints
}
