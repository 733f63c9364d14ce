/**
 * Names under which tools take the thing itself, the most telling first: what runs, what is asked, where something lies.
 * A number or a name alone says too little to be decided on.
 */
const NAMES = [
  'command',
  'cmd',
  'script',
  'code',
  'sql',
  'query',
  'statement',
  'expression',
  'url',
  'uri',
  'path',
  'file_path',
  'file',
  'filename',
  'target',
  'destination',
  'source',
]

/** Characters that fit in a line, and more. */
const SHORT = 200

/** The command or the changed thing of a call, and the arguments that say it. */
export interface MainArgument {
  readonly text: string
  readonly names: readonly string[]
}

/**
 * What a call is about, in one text: the argument that its tool names (`named`), or whose name says so, a command with its
 * arguments as one line of a shell, an address with its method, or the only text that there is. Null where nothing stands
 * out.
 */
export function mainArgument(given: Readonly<Record<string, unknown>>, named?: string): MainArgument | null {
  const own = Object.keys(given).filter((name) => isText(given[name]))
  const known = named !== undefined && isPlain(given[named]) ? named : undefined
  const name = known ?? NAMES.find((one) => own.includes(one)) ?? (Object.keys(given).length === 1 ? own[0] : undefined)
  if (name === undefined) return null
  const text = String(given[name])
  const { args, method } = given
  if (name === 'command' && Array.isArray(args) && args.every((one) => typeof one === 'string'))
    return { text: [text, ...args].map(quoted).join(' '), names: [name, 'args'] }
  if (name === 'url' && typeof method === 'string') return { text: `${method} ${text}`, names: [name, 'method'] }
  return { text, names: [name] }
}

/** The arguments of a call, as the server tells of them. */
interface Given {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly main_argument?: string | undefined
  readonly usual_arguments?: readonly string[] | undefined
}

/** The arguments in one line, the main one first, to tell two calls of a tool apart; what is usual is left out. */
export function argumentsInShort({ arguments: given, main_argument, usual_arguments }: Given): string {
  const main = mainArgument(given, main_argument)
  const others = Object.entries(given).filter(([name]) => main?.names.includes(name) !== true)
  const text = namesAndValues(Object.fromEntries(others), usual_arguments)
  return [main?.text ?? '', text].join('  ').trim().slice(0, SHORT)
}

/** Arguments in one line, each with its name, but for the usual ones. */
export function namesAndValues(given: Readonly<Record<string, unknown>>, usual: readonly string[] = []): string {
  return Object.entries(given)
    .filter(([name]) => !usual.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ')
    .slice(0, SHORT)
}

/** A tool may name a number as well: a name that says so makes it telling. */
function isPlain(value: unknown): boolean {
  return isText(value) || typeof value === 'number'
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** As a shell reads it, so that the ends of each argument are seen. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
