import type { GuardedFetchOptions } from '../../server/kernel/network/guarded-fetch.ts'
import type { BuiltinSettings } from '../../server/modules/spec/builtin-module.ts'

export interface HttpSettings {
  /** Empty means none. Names in lower case; `*.example.com` means every host below it, `*` every host. */
  readonly allowedHosts: readonly string[]
  readonly blockedHosts: readonly string[]
  readonly allowPrivate: boolean
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly userAgent: string
  readonly hostHeaders: readonly HostHeader[]
  readonly lookup: GuardedFetchOptions['lookup']
}

/** A header with a secret, and the only origin that receives it. */
export interface HostHeader {
  readonly origin: string
  readonly name: string
  readonly value: string
}

const HEADER_LINE =
  /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^\s/:[\]]+)(?::(\d{1,5}))?\s*:\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*:[ \t]*(.*)$/i

/** The settings in the form the tools use. @throws {Error} with a sentence that never contains a header's value */
export function httpSettings(settings: BuiltinSettings, lookup?: GuardedFetchOptions['lookup']): HttpSettings {
  return {
    allowedHosts: hosts(settings['allowed_hosts']),
    blockedHosts: hosts(settings['blocked_hosts']),
    allowPrivate: settings['allow_private'] === true,
    timeoutMs: number(settings['timeout_s'], 30) * 1000,
    maxBytes: number(settings['max_bytes'], 4 * 1024 * 1024),
    userAgent: text(settings['user_agent']) || 'Reeve (self-hosted)',
    hostHeaders: text(settings['headers']).split(/\r?\n/).flatMap(hostHeader),
    lookup,
  }
}

function hostHeader(line: string, index: number): HostHeader[] {
  if (line.trim() === '' || line.startsWith('#')) return []
  const [, scheme = 'https', host = '', port, name = '', value = ''] = HEADER_LINE.exec(line.trim()) ?? []
  const address = `${scheme}://${host}${port === undefined ? '' : `:${port}`}`
  // oxlint-disable-next-line no-control-regex -- what cannot stand in a header
  if (host === '' || !URL.canParse(address) || value === '' || /[\0-\x08\x0a-\x1f\x7f]/.test(value)) {
    throw new Error(`Line ${index + 1} of the setting "Headers" is not "host: Header-Name: value".`)
  }
  return [{ origin: new URL(address).origin, name: name.toLowerCase(), value }]
}

function hosts(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[\s,]+/) : []
  return list
    .map((each) => String(each).trim().toLowerCase())
    .filter((each) => each !== '')
    .map(canonical)
}

/** A host as the URL parser writes it: international names in ASCII form, numbers as addresses. */
function canonical(pattern: string): string {
  const [wildcard, name] = pattern.startsWith('*.') ? ['*.', pattern.slice(2)] : ['', pattern]
  return URL.canParse(`http://${name}`) ? wildcard + new URL(`http://${name}`).hostname : pattern
}

function number(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : fallback
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
