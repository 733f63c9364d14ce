import process from 'node:process'
import { parseArgs } from 'node:util'
import { ConfigError } from '../config.ts'
import { FolderInUse } from '../db/folder-lock.ts'
import { NewerDatabaseError } from '../db/migrate.ts'
import { NoDatabase } from '../db/snapshot/open-snapshot.ts'
import { StoreUnreachable } from '../files/s3/s3-failure.ts'
import { AppError } from '../kernel/app-error.ts'
import { BackupProblem } from '../operation/backup-problem.ts'
import { backupCommand } from './backup-command.ts'
import { type Command, CommandProblem, UsageProblem } from './command.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { moduleCommand, runModuleCommand } from './module-command.ts'
import { restoreCommand } from './restore-command.ts'
import { setupLinkCommand } from './setup-link-command.ts'
import { openTerminal } from './terminal.ts'
import { userCommand } from './user-command.ts'
import { verifyCommand } from './verify-command.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  'setup-link': setupLinkCommand,
  user: userCommand,
  backup: backupCommand,
  restore: restoreCommand,
  verify: verifyCommand,
  migrate: migrateCommand,
  doctor: doctorCommand,
  module: moduleCommand,
}

/** What is no fault of the program: one sentence, no stack. */
const EXPECTED = [
  AppError,
  BackupProblem,
  CommandProblem,
  ConfigError,
  FolderInUse,
  NewerDatabaseError,
  NoDatabase,
  StoreUnreachable,
  UsageProblem,
]

const ROOT = new URL('../..', import.meta.url).pathname

/** The command line. Resolves with the exit code: 0 done and well, 1 something is wrong, 2 typed wrongly. */
async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words
  if (name === 'module') return runModuleCommand(rest)
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(overview())
    return name === undefined ? 2 : 0
  }
  if (command === undefined) throw new UsageProblem(`There is no command ${name}.\n\n${overview()}`)
  const { values, positionals } = parse(command, rest)
  if (values['help'] === true) {
    process.stdout.write(`Usage: reeve ${command.usage}\n\n${command.about}\n\n--json         the result as JSON\n`)
    return 0
  }
  const json = values['json'] === true
  const folder = process.cwd()
  // Settings with a relative path mean the same as for the service.
  process.chdir(ROOT)
  try {
    const { code, value, text } = await command.run(openTerminal(process.env, folder), { values, positionals })
    process.stdout.write(`${json ? JSON.stringify(value, null, 2) : text}\n`)
    return code
  } catch (error) {
    if (json && isExpected(error)) process.stdout.write(`${JSON.stringify({ ok: false, error: error.message })}\n`)
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
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  return `Usage: reeve <command> [--help] [--json]\n\n  start       run the service\n${lines.join('\n')}\n\nSettings are those of the service: docs/configuration.md. docs/operations.md says when to use what.\n`
}

function isExpected(error: unknown): error is Error {
  return EXPECTED.some((kind) => error instanceof kind)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const text = isExpected(error)
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)
  process.stderr.write(`reeve: ${text}\n`)
  process.exitCode = error instanceof UsageProblem ? 2 : 1
}
