import type { Lint } from './lint.ts'
import type { Manifest } from '../manifest/manifest.ts'

const TOP = words(`
  $schema manifest_version dxt_version name display_name version description long_description author
  repository homepage documentation support icon icons screenshots localization server tools
  tools_generated prompts prompts_generated keywords license privacy_policies compatibility
  user_config _meta
`)
const SINCE: Record<string, string> = { privacy_policies: '0.2', icons: '0.3', localization: '0.3', _meta: '0.3' }
const INNER: Record<string, readonly string[]> = {
  author: ['name', 'email', 'url'],
  repository: ['type', 'url'],
  server: ['type', 'entry_point', 'mcp_config'],
  'server.mcp_config': ['command', 'args', 'env', 'platform_overrides'],
  compatibility: ['claude_desktop', 'platforms', 'runtimes'],
  'compatibility.runtimes': ['node', 'python'],
}
const SETTING = ['type', 'title', 'description', 'required', 'default', 'multiple', 'sensitive', 'min', 'max']

/** What the strict schemas of the format refuse: unknown keys, and parts that the stated version does not have. */
export function lintShape(manifest: Manifest): Lint[] {
  const lints: Lint[] = []
  const error = (code: string, path: string, message: string): void => {
    lints.push({ code, level: 'error', path, message })
  }
  const unknownKeys = (value: unknown, known: readonly string[], path: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value))
      if (!known.includes(key))
        error(
          'unknown_key',
          path === '' ? key : `${path}.${key}`,
          'Strict readers refuse this key. Use “_meta” for anything outside the format.',
        )
  }
  const version = manifest.manifest_version ?? manifest.dxt_version ?? '0.3'
  if (manifest.manifest_version === undefined)
    lints.push({
      code: 'old_name',
      level: 'warn',
      path: 'dxt_version',
      message: 'This key is now called “manifest_version”.',
    })
  unknownKeys(manifest, TOP, '')
  for (const [key, since] of Object.entries(SINCE))
    if (manifest[key] !== undefined && version < since)
      error(
        'needs_version',
        key,
        `Version ${version} of the manifest does not have it. Set “manifest_version” to "${since}".`,
      )
  if (manifest.server.type === 'uv' && version < '0.4')
    error('needs_version', 'server.type', '“uv” needs “manifest_version” "0.4".')
  for (const [path, known] of Object.entries(INNER)) {
    const value = path
      .split('.')
      .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], manifest)
    unknownKeys(value, known, path)
  }
  for (const [key, option] of Object.entries(manifest.user_config ?? {}))
    unknownKeys(option, SETTING, `user_config.${key}`)
  for (const [at, tool] of (manifest.tools ?? []).entries()) unknownKeys(tool, ['name', 'description'], `tools.${at}`)
  for (const [at, prompt] of (manifest.prompts ?? []).entries())
    unknownKeys(prompt, ['name', 'description', 'arguments', 'text'], `prompts.${at}`)
  for (const [key, value] of Object.entries(manifest._meta ?? {}))
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      error('bad_meta', `_meta.${key}`, 'Every entry of “_meta” must be an object.')
  if (manifest.server.mcp_config === undefined && manifest.server.type !== 'uv')
    error('missing', 'server.mcp_config', 'Strict readers require it. Say how the server is started.')
  for (const key of ['homepage', 'documentation', 'support'] as const) {
    const link = manifest[key]
    if (link !== undefined && !/^https?:\/\//.test(link)) error('bad_link', key, 'It must be an http or https address.')
  }
  return lints
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
