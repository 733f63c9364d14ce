import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { failureSentence } from '../app/failure-sentence.ts'
import { auditCommand } from './audit-command.ts'
import { backupCommand } from './backup-command.ts'
import { type Command, UsageProblem } from './command.ts'
import { completionCommand } from './completion-command.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { forgetSecretsCommand } from './forget-secrets-command.ts'
import { helperCommand } from './reeve-op/helper-command.ts'
import { manCommand } from './man-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { moduleCommand, runModuleCommand } from './module-command.ts'
import { receiptCommand } from './receipt-command.ts'
import { restoreCommand } from './restore-command.ts'
import { setupLinkCommand } from './setup-link-command.ts'
import { startCommand } from './start-command.ts'
import { openTerminal } from './terminal.ts'
import { userCommand } from './user-command.ts'
import { verifyCommand } from './verify-command.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  start: startCommand,
  'setup-link': setupLinkCommand,
  user: userCommand,
  backup: backupCommand,
  restore: restoreCommand,
  verify: verifyCommand,
  migrate: migrateCommand,
  doctor: doctorCommand,
  'forget-secrets': forgetSecretsCommand,
  audit: auditCommand,
  receipt: receiptCommand,
  module: moduleCommand,
  helper: helperCommand,
  completion: completionCommand(() => COMMANDS),
  man: manCommand(() => COMMANDS),
}

const ROOT = join(import.meta.dirname, '../..')

/** The command line. Resolves with the exit code: 0 success, 1 something is wrong, 2 wrong usage. */
async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === 'module') return runModuleCommand(rest)
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(overview())
    return name === undefined ? 2 : 0
  }
  if (name === 'version' || name === '--version' || name === '-V') {
    process.stdout.write(`reeve ${manifest.version}\n`)
    return 0
  }
  if (command === undefined) throw new UsageProblem(`There is no command ${name}.\n\n${overview()}`)
  const { values, positionals } = parse(command, rest)
  if (values['help'] === true) {
    process.stdout.write(`Usage: reeve ${command.usage}\n\n${command.about}\n\n--json         the result as JSON\n`)
    return 0
  }
  const json = values['json'] === true
  const folder = process.cwd()
  // Relative paths in settings mean the same as for the service.
  process.chdir(ROOT)
  try {
    const { code, value, text } = await command.run(openTerminal(process.env, folder), { values, positionals })
    process.stdout.write(`${json ? JSON.stringify(value, null, 2) : text}\n`)
    return code
  } catch (error) {
    const sentence = failureSentence(error)
    if (json && sentence !== null) process.stdout.write(`${JSON.stringify({ ok: false, error: sentence })}\n`)
    throw error instanceof UsageProblem ? new UsageProblem(`${error.message}\n\nUsage: reeve ${command.usage}`) : error
  }
}

function parse(command: Command, words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    return { values: values as Record<string, string | boolean | undefined>, positionals }
  } catch (error) {
    throw new UsageProblem(`${(error as Error).message}\n\nUsage: reeve ${command.usage}`)
  }
}

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(16)}${summary}`)
  return `Usage: reeve <command> [--help] [--json]\n       reeve --version\n\n${lines.join('\n')}\n\nSettings are those of the service: docs/configuration.md. docs/operations.md says when to use what.\n`
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const text = failureSentence(error) ?? (error instanceof Error ? (error.stack ?? error.message) : String(error))
  process.stderr.write(`reeve: ${text}\n`)
  process.exitCode = error instanceof UsageProblem ? 2 : 1
}
