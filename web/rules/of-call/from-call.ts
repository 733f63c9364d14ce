import { type ConditionDraft, emptyCondition, emptyWord } from '../conditions/condition-draft.ts'
import { EMPTY_SPEC, type Arguments, type SpecDraft } from '../conditions/spec-draft.ts'
import { commandOf, stepsOf, type ToolArgument } from '../conditions/tool-arguments.ts'

/** A rule under which exactly this call, and nothing else, would run. Arguments that are as by default are left out. */
export function fromCall(args: Arguments, known: readonly ToolArgument[]): SpecDraft {
  const command = commandConditions(args, known)
  const covered = new Set(command.flatMap(({ at, args: words }) => [at, words, '/shell']))
  const others = leavesOf(args).filter(({ at, value }) => !covered.has(at) && !isFallback(at, value, known))
  return { ...EMPTY_SPEC, when: [...command, ...others.map(exactly)], examples: { match: [args], no_match: [] } }
}

/** Program and words of a tool that runs programs, as one command; not where a shell reads it. */
function commandConditions(args: Arguments, known: readonly ToolArgument[]): readonly ConditionDraft[] {
  const command = commandOf(known)
  if (command === null || (args['shell'] ?? false) !== false) return []
  const [program] = stepsOf(command.program).map((name) => args[name])
  const [given] = stepsOf(command.args).map((name) => args[name])
  // A whole line in place of the program is split by the tool: what runs is not what a rule would compare.
  if (typeof program !== 'string' || (given === undefined && /\s/.test(program))) return []
  const words: unknown[] = given === undefined ? [] : Array.isArray(given) ? given : [null]
  if (!words.every((word) => typeof word === 'string')) return []
  const drafts = [program, ...words].map((text) => emptyWord({ text }))
  return [emptyCondition(command.program, { kind: 'argv', args: command.args, words: drafts })]
}

interface Leaf {
  readonly at: string
  readonly value: unknown
}

function leavesOf(value: Arguments, above = ''): readonly Leaf[] {
  return Object.entries(value).flatMap(([name, member]): readonly Leaf[] => {
    const at = `${above}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const inner = typeof member === 'object' && member !== null && !Array.isArray(member)
    return inner && Object.keys(member).length > 0 ? leavesOf(member as Arguments, at) : [{ at, value: member }]
  })
}

function isFallback(at: string, value: unknown, known: readonly ToolArgument[]): boolean {
  const argument = known.find((one) => one.at === at)
  return argument?.fallback !== undefined && JSON.stringify(argument.fallback) === JSON.stringify(value)
}

function exactly({ at, value }: Leaf): ConditionDraft {
  if (Array.isArray(value)) {
    const [first] = value as unknown[]
    const type = typeof first === 'number' || typeof first === 'boolean' ? (typeof first as 'number') : 'text'
    return emptyCondition(at, { kind: 'in', each: true, type, text: [...new Set(value.map(String))].join('\n') })
  }
  if (value === null) return emptyCondition(at, { type: 'null' })
  if (typeof value === 'number' || typeof value === 'boolean')
    return emptyCondition(at, { type: typeof value as 'number' | 'boolean', text: `${value}` })
  return emptyCondition(at, { text: typeof value === 'string' ? value : JSON.stringify(value) })
}
