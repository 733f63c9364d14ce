/** What the schema of a tool says of one argument, or of a part of one. */
export interface ToolArgument {
  /** JSON pointer. */
  readonly at: string
  readonly type: 'text' | 'number' | 'boolean' | 'list' | 'other'
  readonly required: boolean
  /** Undefined: without one, the argument is missing. */
  readonly fallback: unknown
  /** What a text may be, when it is one of few. */
  readonly choices: readonly string[]
}
/** The arguments that make a command line of a tool. */
export interface CommandArguments {
  readonly program: string
  readonly args: string
}

type Schema = Readonly<Record<string, unknown>>
const DEPTH = 3

/** All arguments of a tool; an object's parts in its place where the schema names them. */
export function argumentsOf(schema: Schema, above = '', depth = DEPTH): readonly ToolArgument[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(record(schema['properties'])).flatMap(([name, value]) => {
    const own = record(value)
    const at = `${above}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const parts = Object.keys(record(own['properties'])).length > 0 && depth > 1
    if (parts) return argumentsOf(own, at, depth - 1)
    const choices = Array.isArray(own['enum']) ? own['enum'].filter((one) => typeof one === 'string') : []
    return [{ at, type: typeOf(own), required: required.includes(name), fallback: own['default'], choices }]
  })
}

/** The pointers of program and words of a tool that runs programs, such as `system.run_command`; else null. */
export function commandOf(list: readonly ToolArgument[]): CommandArguments | null {
  const find = (type: ToolArgument['type'], ...names: readonly string[]) =>
    list.find((one) => one.type === type && names.includes(one.at))?.at
  const program = find('text', '/command', '/program')
  const args = find('list', '/args', '/arguments', '/argv')
  return find('boolean', '/shell') === undefined || program === undefined || args === undefined
    ? null
    : { program, args }
}

/** `/headers/accept` as people read it: `headers.accept`. */
export function nameOf(pointer: string): string {
  return stepsOf(pointer).join('.')
}

export function stepsOf(pointer: string): readonly string[] {
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function typeOf(schema: Schema): ToolArgument['type'] {
  const { type, anyOf, oneOf, enum: choices } = schema
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.map((one) => record(one)['type']) : []))
  const types = [type, ...branches].flat().filter((one) => typeof one === 'string' && one !== 'null')
  const one = new Set(types).size === 1 ? types[0] : undefined
  if (one === 'string' || (one === undefined && Array.isArray(choices))) return 'text'
  if (one === 'integer' || one === 'number') return 'number'
  if (one === 'boolean') return 'boolean'
  return one === 'array' ? 'list' : 'other'
}

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}
