import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import { settingsIn } from '../manifest/expand-text.ts'
import { onlyInBundle } from '../archive/inside-bundle.ts'
import type { LaunchTemplate } from '../manifest/launch-template.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { secretInArguments } from '../manifest/plan-launch.ts'
import type { FoundWarning } from './found-warning.ts'

const DOWNLOADERS = ['npx', 'bunx', 'pnpx', 'uvx', 'pipx', 'docker', 'podman', 'deno', 'curl', 'wget']
const WITH_SUBCOMMAND: Record<string, readonly string[]> = {
  npm: ['exec', 'x', 'install', 'i', 'ci'],
  pnpm: ['dlx', 'exec', 'install'],
  yarn: ['dlx', 'install'],
  bun: ['x', 'install'],
  uv: ['run', 'tool', 'pip', 'sync'],
  pip: ['install'],
  pip3: ['install'],
  go: ['run', 'install'],
  cargo: ['run', 'install'],
}
const SHELLS = [
  'sh',
  'bash',
  'dash',
  'zsh',
  'fish',
  'ksh',
  'busybox',
  'cmd',
  'cmd.exe',
  'powershell',
  'powershell.exe',
  'pwsh',
]
const RAISERS = ['sudo', 'su', 'doas', 'pkexec', 'runuser', 'setpriv', 'nsenter', 'chroot', 'unshare']
/** Programs that `modules/process` provides itself. */
const PROVIDED = ['node']

/** Warnings about the way a bundle is started. */
export function reviewLaunch(manifest: Manifest, template: LaunchTemplate): FoundWarning[] {
  const warnings: FoundWarning[] = []
  const warn = (code: string, level: FoundWarning['level'], message: Sentence): void => {
    warnings.push({ code, level, message })
  }
  const { command, args } = template
  const name = nameOf(command)
  // `env FOO=1 npx …` and `sudo bash …` hide the program that really runs.
  const behind = [
    name,
    ...args
      .filter((arg) => !arg.startsWith('-') && !arg.includes('='))
      .slice(0, 2)
      .map(nameOf),
  ]
  const program = ['env', 'exec', 'nice', 'nohup', 'timeout', ...RAISERS].includes(name) ? behind : [name]
  const line = [command, ...args].join(' ')

  if (
    program.some((each) => DOWNLOADERS.includes(each)) ||
    program.some((each) => args.slice(0, 3).some((arg) => WITH_SUBCOMMAND[each]?.includes(arg) === true)) ||
    /\b(?:curl|wget)\b|\b(?:npx|uvx|bunx)\s/.test(line)
  )
    warn(
      'downloads_at_start',
      'danger',
      say`It may download the program it runs each time it starts (${shownText(name)}): that program is not in the bundle, can change at any time, and needs network access.`,
    )
  if (manifest.server.type === 'uv')
    warn(
      'uv_bundle',
      'warn',
      say`Reeve can pack such a bundle with its packages instead: name an index of Python packages (REEVE_PYPI_INDEX), remove the module, and install its bundle again.`,
    )
  if (program.some((each) => SHELLS.includes(each)))
    warn(
      'shell',
      'danger',
      say`It starts through a shell (${shownText(name)}), which can run anything on its command line.`,
    )
  if (program.some((each) => RAISERS.includes(each)))
    warn('raises_rights', 'danger', say`It starts through a program that changes its privileges (${shownText(name)}).`)
  if (inlineCode(name, args)) warn('inline_code', 'warn', say`Its command line contains program code.`)

  if (command.includes('${user_config.'))
    warn('command_from_settings', 'danger', say`A setting decides which program is started.`)
  if (command.startsWith('/'))
    warn('absolute_command', 'warn', say`It starts a program of this machine, not of the bundle: ${shownText(command)}`)
  if (command.startsWith('${') && !command.startsWith('${user_config.') && !onlyInBundle(command))
    warn('command_outside', 'danger', say`Its program is not in the bundle: ${shownText(command)}`)
  if (!command.includes('/') && !command.includes('${') && !PROVIDED.includes(command) && !onThisMachine(command))
    warn('command_missing', 'warn', say`The program ${shownText(command)} is not installed on this machine.`)

  const secret = secretInArguments(manifest, template)
  if (secret !== null)
    warn(
      'secret_in_args',
      'danger',
      say`This bundle would pass a secret (the setting “${shownText(secret)}”) on its command line, where every program can read it, so it cannot be enabled.`,
    )
  if (template.dropped.length > 0)
    warn(
      'env_dropped',
      'warn',
      say`It wants to set environment variables that modules must not set; they are left out: ${shownText(template.dropped.join(', '))}.`,
    )
  const unknown = [command, ...args, ...Object.values(template.env)]
    .flatMap(settingsIn)
    .filter((key) => !Object.hasOwn(manifest.user_config ?? {}, key))
  if (unknown.length > 0)
    warn(
      'unknown_setting',
      'warn',
      say`It refers to settings that it does not declare: ${shownText([...new Set(unknown)].join(', '))}.`,
    )
  return warnings
}

function nameOf(command: string): string {
  return command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1).toLowerCase()
}

function inlineCode(name: string, args: readonly string[]): boolean {
  return (
    (/^(?:node|bun|python[\d.]*|perl|ruby|php|deno)(?:\.exe)?$/.test(name) &&
      args.some((arg) => /^-(?:e|c|p|-eval|-print)$/.test(arg))) ||
    args.some((arg) => arg.startsWith('data:'))
  )
}

function onThisMachine(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })
}
