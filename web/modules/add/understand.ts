import { fromRunner, npmPackage, type Program, pythonPackage } from './runners.ts'

export interface Variable {
  readonly name: string
  readonly value: string
  readonly sensitive: boolean
  /** What it is for, in the words of whoever offers the server. */
  readonly hint?: string
  /** What alone it may be. */
  readonly choices?: readonly string[]
}

/** A server at an address. */
export interface RemoteServer {
  readonly name: string
  readonly url: string
  /** Sent as a bearer token. */
  readonly token: string
  /** The others: "Name: value", one in a line. */
  readonly headers: string
}

/** What an administrator named, before anything is done about it. */
export type Understood =
  | (Program & { readonly variables: readonly Variable[] })
  | { readonly kind: 'address'; readonly url: string; readonly sha256?: string }
  | ({ readonly kind: 'remote' } & RemoteServer)
  /** A server that is started by something that cannot be fetched. */
  | { readonly kind: 'other'; readonly name: string; readonly command: string }

/** By its name in the configuration, or one without a name; empty for what isn't understood. */
export type Servers = readonly { readonly name: string; readonly server: Understood }[]

/** What a line to copy begins with, of which it can be said what is missing. */
const COMMAND = /^(?:npx|uvx?|pipx|python3?|docker|podman|node|bunx?|pnpm|yarn|deno)$/
/** Names of variables and options whose values nobody but the server should know. */
const SECRET = /token|secret|passw|api[_-]?key|private[_-]?key|credential|auth|_pat$|dsn|connection[_-]?string/i

/** Reads the name of a package, a configuration of servers (`mcpServers`), or an address. */
export function understand(text: string): Servers {
  const plain = text.trim()
  if (plain.startsWith('{')) return readConfiguration(plain)
  if (/^https?:\/\//i.test(plain)) {
    if (!URL.canParse(plain) || /\s/.test(plain)) return []
    const bundle = /^https:/i.test(plain) && /\.(?:mcpb|dxt)$/i.test(new URL(plain).pathname)
    return [{ name: '', server: bundle ? { kind: 'address', url: plain } : remote('', plain, {}) }]
  }
  const words = plain.split(/\s+/)
  // What a page of a package shows to copy.
  if (words.length > 1) return COMMAND.test(words[0]!) ? [{ name: '', server: fromCommand('', words, []) }] : []
  const program = plain.startsWith('pypi:') ? pythonPackage(plain.slice(5)) : npmPackage(plain.replace(/^npm:/, ''))
  return program === null ? [] : [{ name: '', server: { ...program, variables: [] } }]
}

function readConfiguration(text: string): Servers {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return []
  }
  const outer = record(parsed)
  const single = typeof outer['command'] === 'string' || typeof outer['url'] === 'string'
  const servers = single ? { '': outer } : record(outer['mcpServers'] ?? outer['servers'] ?? outer)
  return Object.entries(servers).flatMap(([name, value]) => {
    const { command, url, args, env, headers } = record(value)
    if (typeof url === 'string' && URL.canParse(url)) return [{ name, server: remote(name, url, record(headers)) }]
    if (typeof command !== 'string') return []
    const words = Array.isArray(args) ? args.map(String) : []
    const variables = Object.entries(record(env)).map(([key, given]) => variable(key, String(given)))
    return [{ name, server: fromCommand(name, [command, ...words], variables) }]
  })
}

function fromCommand(name: string, words: readonly string[], variables: readonly Variable[]): Understood {
  const program = fromRunner(words[0]!, words.slice(1))
  return program === null ? { kind: 'other', name, command: words.join(' ') } : { ...program, variables }
}

function variable(name: string, value: string): Variable {
  return { name, value: isPlaceholder(value) ? '' : value, sensitive: looksSecret(name) }
}

/** Whether nobody but the server should know the value of a variable of this name. */
export function looksSecret(name: string): boolean {
  return SECRET.test(name)
}

/** Its bearer token apart from the other headers; what only stands for a value is left to be entered. */
export function remote(
  name: string,
  url: string,
  headers: Record<string, unknown>,
): Extract<Understood, { kind: 'remote' }> {
  const all = Object.entries(headers).map(([header, value]) => ({ header, value: String(value) }))
  const bearer = (value: string) => /^bearer\s+(.*)$/i.exec(value)?.[1] ?? null
  const tokens = all.filter(({ header, value }) => /^authorization$/i.test(header) && bearer(value) !== null)
  const token = tokens.length === 1 ? bearer(tokens[0]!.value)! : ''
  return {
    kind: 'remote',
    name: shortName(name),
    url,
    token: isPlaceholder(token) ? '' : token,
    headers: all
      .filter((one) => !tokens.includes(one))
      .map(({ header, value }) => `${header}: ${isPlaceholder(value) ? '' : value}`)
      .join('\n'),
  }
}

/** What stands for a value in an example is none: <token>, {token}, ${TOKEN}, YOUR_TOKEN. */
export function isPlaceholder(value: string): boolean {
  return /^<.*>$|^\$\{.*\}$|^\{\w+\}$|^your[-_ ]/i.test(value)
}

/** Whether something in angle brackets, or a word in braces, stands for what was to be entered. */
export function hasBlanks(text: string): boolean {
  return /^<[^<>]*>$|(?<!\$)\{\w+\}/m.test(text)
}

/** The longest name that a module may be shown by. */
const LONGEST_NAME = 80

/** As much of a text as a name may have, in whole characters. */
function shortName(text: string): string {
  if (text.length <= LONGEST_NAME) return text
  let end = 0
  for (const { index, segment } of new Intl.Segmenter().segment(text)) {
    if (index + segment.length > LONGEST_NAME) break
    end = index + segment.length
  }
  return text.slice(0, end).trimEnd()
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
