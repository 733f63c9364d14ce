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
  usage: 'doctor [--hosts]',
  about:
    'Can be run while the service is running, and changes nothing. --hosts also signs in to every machine that is reached over ' +
    'SSH: pinned key, latency, clock, reeve-op. Exit code 1 if a check fails; a warning alone gives 0.',
  options: { hosts: { type: 'boolean', default: false } },
  async run(terminal, { values }) {
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
    checks.push(...(await databaseChecks(place.db, place.config.dataFolder)))
    if (place.db.opened.pending.length === 0) checks.push(...(await outsideChecks(place)))
    if (values['hosts'] === true) checks.push(...(await othersChecks(place)))
    return told(checks)
  },
}

async function othersChecks(place: Place): Promise<Check[]> {
  if (place.db.opened.pending.length > 0)
    return [fail('machines', 'They are in a database whose migrations are pending.', 'Start the service once.')]
  try {
    const { hostChecks } = await import('./host-checks.ts')
    return await hostChecks(place)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return [fail('machines', message, 'Run this as the account of the service, with its settings.')]
  }
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
