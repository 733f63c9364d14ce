interface KnownTool {
  readonly module: string
  readonly tool: string
  readonly effect: string
}

/** What a routine may use of one module. `own`: tools that were chosen one by one. */
export type Share = 'nothing' | 'read' | 'all' | 'own'

/** Files of one's own: what tools read from them, or write. */
const READ_FILES = 'files.read'
const WRITE_FILES = 'files.create'

/** Only what reads, and besides the tool that a message calls directly. */
export function defaultScope(tools: readonly KnownTool[], text: string): string[] {
  const reading = tools.filter(({ effect }) => effect === 'read').map(subjectOf)
  const [, module, tool] = /^\/([\w-]+)\.([\w.-]+)/.exec(text.trim()) ?? []
  const called = module !== undefined && tool !== undefined ? [subjectOf({ module, tool })] : []
  return [...new Set([READ_FILES, ...reading, ...called])]
}

export function shareOf(scope: readonly string[], tools: readonly KnownTool[], module: string): Share {
  if (scope.includes(`tool:${module}.*`)) return 'all'
  const chosen = scope.filter((subject) => subject.startsWith(`tool:${module}.`))
  if (chosen.length === 0) return 'nothing'
  const reading = readingOf(tools, module)
  return chosen.length === reading.length && reading.every((subject) => chosen.includes(subject)) ? 'read' : 'own'
}

/** The scope with another share of one module. */
export function withShare(
  scope: readonly string[],
  tools: readonly KnownTool[],
  module: string,
  share: Exclude<Share, 'own'>,
): string[] {
  const others = scope.filter((subject) => !subject.startsWith(`tool:${module}.`))
  const added = share === 'all' ? [`tool:${module}.*`, WRITE_FILES] : share === 'read' ? readingOf(tools, module) : []
  return [...new Set([...others, ...added])]
}

function subjectOf({ module, tool }: Pick<KnownTool, 'module' | 'tool'>): string {
  return `tool:${module}.${tool}`
}

function readingOf(tools: readonly KnownTool[], module: string): string[] {
  return tools.filter((tool) => tool.module === module && tool.effect === 'read').map(subjectOf)
}
