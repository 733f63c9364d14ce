import { t } from '../../text/i18n.ts'
import type { AuditEntry } from './audit-query.ts'

/** Characters of what was run that fit into a line. */
const LINE = 160
/** Machines that fit into one. */
const HOSTS = 3

type Details = AuditEntry['details']

/** What an entry is about in a few words: the command or the call with its arguments, or the name of a file. */
export function auditObject({ action, details, target }: Pick<AuditEntry, 'action' | 'details' | 'target'>): string {
  const { tool, name } = details
  if (typeof tool === 'string') return shortened(action === 'tool.counted' ? tool : callWords(tool, details))
  return typeof name === 'string' ? name : target
}

/** The machine on which it ran; of several the first. */
export function hostName({ host, hosts }: Details): string {
  if (Array.isArray(hosts) && hosts.length > 1) {
    const names = hosts.slice(0, HOSTS).map((one) => nameOf(one))
    return hosts.length > HOSTS ? `${names.join(', ')} …` : names.join(', ')
  }
  return typeof host === 'string' && host !== 'local' ? host : t('audit.host_local')
}

function nameOf(host: unknown): string {
  const name = (host as { name?: unknown } | null)?.name
  return typeof name === 'string' ? name : ''
}

/** A person by the name that was recorded; null for anything else. */
export function recordedName(person: unknown): string | null {
  if (typeof person !== 'object' || person === null) return null
  const { display_name, username } = person as Record<string, unknown>
  const name = display_name || username
  return typeof name === 'string' ? name : null
}

/** The arguments of a call, or null where none were recorded or they were cut. */
export function recordedArguments({ arguments: text }: Details): Record<string, unknown> | null {
  if (typeof text !== 'string') return null
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}

function callWords(tool: string, details: Details): string {
  const given = recordedArguments(details)
  if (given === null) return typeof details['arguments'] === 'string' ? `${tool} ${details['arguments']}` : tool
  const { command, args } = given
  if (tool === 'system.run_command' && typeof command === 'string')
    return [command, ...(Array.isArray(args) ? args.map(String) : [])].join(' ')
  const words = Object.entries(given).map(([name, value]) => `${name}=${written(value)}`)
  return [tool, ...words].join(' ')
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > LINE ? `${line.slice(0, LINE)}…` : line
}
