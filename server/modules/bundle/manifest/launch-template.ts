import { say } from '../../../kernel/sentence.ts'
import { BundleError } from '../bundle-error.ts'
import { onlyInBundle } from '../archive/inside-bundle.ts'
import type { Manifest } from './manifest.ts'
import { shownText } from './shown-text.ts'

/** How a bundle wants to be started, its variables not yet filled in. */
export interface LaunchTemplate {
  readonly command: string
  readonly args: readonly string[]
  /** Without the variables of `dropped`. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Environment variables that the bundle may not set because they could take over the process or the host's own
   * programs.
   */
  readonly dropped: readonly string[]
}

const FORBIDDEN = new Set(
  words(`
  PATH NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE NODE_V8_COVERAGE NODE_CHANNEL_FD
  PYTHONSTARTUP PYTHONHOME PYTHONINSPECT BASH_ENV ENV IFS SHELLOPTS BASHOPTS PS4 PERL5OPT PERL5LIB
  RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS GCONV_PATH OPENSSL_CONF HOME TMPDIR
`),
)
const FORBIDDEN_PREFIX = /^(LD|DYLD|GIT|REEVE)_|^npm_config_/i
/** Where programs look for libraries: allowed within the bundle, which is how Python bundles ship theirs. */
const LIBRARY_PATHS = new Set(['PYTHONPATH', 'NODE_PATH'])

/**
 * The launch that a manifest describes for a platform: `mcp_config` with that platform's overrides (whole keys, not
 * merged), or else the default for its server type.
 * @throws {BundleError} `bad_manifest`
 */
export function launchTemplate(manifest: Manifest, platform: NodeJS.Platform = process.platform): LaunchTemplate {
  const { mcp_config: config } = manifest.server
  const override = config?.platform_overrides?.[platform] ?? {}
  const fallback = config === undefined ? defaultLaunch(manifest) : { command: config.command, args: config.args ?? [] }
  const wanted = Object.entries(override.env ?? config?.env ?? {})
  const allowed = wanted.filter(([name, value]) => maySet(name, value))
  return {
    command: override.command ?? fallback.command,
    args: override.args ?? fallback.args,
    env: Object.fromEntries(allowed),
    dropped: wanted.filter(([name, value]) => !maySet(name, value)).map(([name]) => name),
  }
}

function defaultLaunch({ server }: Manifest): { command: string; args: string[] } {
  const entry = `\${__dirname}/${server.entry_point}`
  if (!onlyInBundle(entry))
    throw new BundleError(
      'bad_manifest',
      say`“server.entry_point” leads out of the bundle: ${shownText(server.entry_point)}`,
      'manifest.json',
    )
  switch (server.type) {
    case 'node':
      return { command: 'node', args: [entry] }
    case 'python':
      return { command: 'python3', args: [entry] }
    case 'uv':
      return { command: 'uv', args: ['run', '--directory', '${__dirname}', server.entry_point] }
    case 'binary':
      return { command: entry, args: [] }
  }
}

/** Whether a module may be given this environment variable. */
export function maySet(name: string, value: string): boolean {
  if (!/^[^=\0]+$/.test(name) || FORBIDDEN.has(name.toUpperCase()) || FORBIDDEN_PREFIX.test(name)) return false
  return (
    !LIBRARY_PATHS.has(name.toUpperCase()) ||
    value.split(/[:;]|\$\{pathSeparator\}(?=\$\{__dirname\})/).every(onlyInBundle)
  )
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
