import type { BuiltinSettings } from '../../../server/modules/spec/builtin-module.ts'

export interface SqlSettings {
  /** By name, in the order of the settings, with the address as written. */
  readonly connections: ReadonlyMap<string, string>
  readonly passwords: ReadonlyMap<string, string>
  readonly readOnly: boolean
  readonly timeoutMs: number
  readonly maxRows: number
  /** Reeve's own folder, in which no database is opened. */
  readonly dataFolder: string
}

/** The settings in the form the tools use. @throws {Error} with a sentence that never contains a password */
export function sqlSettings(settings: BuiltinSettings, dataFolder: string): SqlSettings {
  const listed = settings['connections']
  const lines = Array.isArray(listed) ? listed : typeof listed === 'string' ? listed.split(/\r?\n/) : []
  const connections = new Map<string, string>()
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const [, name = '', address = ''] = /^\s*([\w-]{1,40})\s*=\s*(\S.*?)\s*$/.exec(line) ?? []
    if (name === '') throw new Error(`Entry ${index + 1} of the setting "Databases" is not "name=address".`)
    if (connections.has(name)) throw new Error(`The setting "Databases" has two entries with the name ${name}.`)
    connections.set(name, address)
  }
  const passwords = new Map<string, string>()
  const given = settings['passwords']
  for (const [index, line] of (typeof given === 'string' ? given : '').split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const [, name = '', password = ''] = /^\s*([\w-]{1,40})\s*=(.*)$/.exec(line) ?? []
    if (name === '') throw new Error(`Line ${index + 1} of the setting "Passwords" is not "name=password".`)
    passwords.set(name, password)
  }
  return {
    connections,
    passwords,
    readOnly: settings['read_only'] !== false,
    timeoutMs: within(settings['statement_timeout_s'], 30, 1, 100) * 1000,
    maxRows: Math.floor(within(settings['max_rows'], 1000, 1, 1000)),
    dataFolder,
  }
}

function within(value: unknown, fallback: number, min: number, max: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, min), max) : fallback
}
