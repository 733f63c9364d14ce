import { ConfigError } from '../../app/config-error.ts'
import { readConfig } from '../../app/config.ts'
import { NoDatabase } from '../../db/snapshot/open-snapshot.ts'
import type { Command, Outcome } from '../command.ts'
import { openPlace, type Place } from '../open-place.ts'
import { placeUrl } from '../place-url.ts'
import type { Terminal } from '../terminal.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** `reeve doctor`: what is wrong with this installation, and what to do about it. Changes nothing. */
export const doctorCommand: Command = {
  summary: 'find problems with settings, machine, database and surroundings, and how to fix them',
  usage: 'doctor',
  about:
    'Can be run while the service is running, and changes nothing. Exit code 1 if a check fails; a warning alone gives 0.',
  options: {},
  async run(terminal) {
    const { databaseChecks } = await import('./database-checks.ts')
    const { installationChecks } = await import('./installation-checks.ts')
    const { machineChecks } = await import('./machine-checks.ts')
    const { helperChecks } = await import('./helper-checks.ts')
    const { certificateCheck, outsideChecks } = await import('./outside-checks.ts')
    let config
    try {
      config = readConfig(terminal.env)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return told([fail('settings', error.message, 'Change that setting; docs/configuration.md lists all of them.')])
    }
    const checks: Check[] = [
      ok('settings', 'All settings are valid.'),
      ...(await machineChecks(config, placeUrl(config))),
      ...(await installationChecks(config)),
      ...(await helperChecks()),
      await certificateCheck(config),
    ]
    const opened = await open(terminal)
    if ('status' in opened) return told([...checks, opened])
    await using place = opened
    checks.push(...(await databaseChecks(place.db)))
    if (place.db.opened.pending.length === 0) checks.push(...(await outsideChecks(place)))
    return told(checks)
  },
}

async function open(terminal: Terminal): Promise<Place | Check> {
  try {
    return await openPlace(terminal)
  } catch (error) {
    if (error instanceof NoDatabase) return warn('database', error.message, 'Start the service once.')
    return fail(
      'database',
      error instanceof Error ? error.message : String(error),
      'See whether REEVE_DATA_DIR or REEVE_DATABASE_URL is right, and whether the database runs.',
    )
  }
}

function told(checks: readonly Check[]): Outcome {
  const failed = checks.filter(({ status }) => status === 'fail').length
  const lines = checks.flatMap(({ name, status, message, fix }) => [
    `${status.padEnd(4)}  ${name}: ${message}`,
    ...(fix === null ? [] : [`      → ${fix}`]),
  ])
  return { code: failed > 0 ? 1 : 0, value: { ok: failed === 0, checks }, text: lines.join('\n') }
}
