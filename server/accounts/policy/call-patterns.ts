import type { Loosened } from '../../../contract/grants.ts'
import { type Condition, RuleSpec } from '../../../contract/rule-conditions.ts'
import type { JudgedTool, Pattern } from '../../chat/ports/policy.ts'
import type { Tool } from '../../chat/ports/tools.ts'
import { judgeRule } from './compiled-rules.ts'
import { specProblem } from './conditions/check-spec.ts'
import { unnamed } from './conditions/closed-world.ts'
import { readPath } from './conditions/path-under.ts'
import { writePointer } from './conditions/pointer.ts'

/** Arguments that are what is written, not where or what about. */
const CONTENT = new Set(['text', 'content', 'base64', 'body', 'data', 'message'])

/**
 * Calls like this one, in which one thing may be another: anything in its folder, any address at its host, any number up
 * to it; and, the widest, everything but the argument that says what the call is about, or its content. Of a tool that may
 * delete, only the folder and the host: a number may name something, such as a process. Each surely covers the call that
 * it was made of.
 */
export function callsLike(tool: Tool, args: Record<string, unknown>): readonly Pattern[] {
  const dangerous = tool.effect === 'destructive' || tool.effect === 'unknown'
  const { main_argument: main, input_schema: schema } = tool
  const names = Object.keys(args).toSorted((a, b) => Number(b === main) - Number(a === main))
  const usable = (pattern: Pattern) => isSavable(pattern) && coversCall(tool, pattern, args)
  const narrow = names
    .flatMap((name) => loosen(args[name], name, dangerous))
    .flatMap(([condition, loosened]): Pattern[] => {
      const others = same(args, schema, [loosened.argument])
      return others === null ? [] : [{ spec: { when: [condition, ...others] }, loosened }]
    })
    .find(usable)
  const wide = dangerous ? null : anyOf(args, schema, freeNames(args, schema, main))
  return [narrow, wide].filter((one) => one != null && usable(one)) as Pattern[]
}

function freeNames(args: Record<string, unknown>, schema: Record<string, unknown>, main: string | null): string[] {
  if (main === null || !Object.hasOwn(args, main))
    return Object.keys(args).filter((name) => CONTENT.has(name) && typeof args[name] === 'string')
  return Object.keys((schema['properties'] as object | undefined) ?? {}).filter((name) => name !== main)
}

function anyOf(args: Record<string, unknown>, schema: Record<string, unknown>, names: string[]): Pattern | null {
  const when = same(args, schema, names)
  // Without a condition it would be the whole tool.
  if (names.length === 0 || when === null || when.length === 0) return null
  return {
    spec: { when, free: names.map((name) => writePointer([name])) },
    loosened: { kind: 'any', arguments: names },
  }
}

/** Whether a call is surely one of a pattern, judged as a rule that allows. */
export function coversCall(tool: JudgedTool, { spec }: Pattern, args: Record<string, unknown>): boolean {
  return judgeRule({ spec, effect: 'allow' }, tool, args).holds === 'true'
}

type Narrow = Extract<Loosened, { argument: string }>

function loosen(value: unknown, argument: string, dangerous: boolean): [Condition, Narrow][] {
  const at = writePointer([argument])
  if (typeof value === 'number' && !dangerous && value !== 0) {
    const range = { min: Math.min(value, 0), max: Math.max(value, 0) }
    return [
      [
        { at, ...range },
        { kind: 'range', argument, ...range },
      ],
    ]
  }
  if (typeof value !== 'string') return []
  const folder = value.slice(0, value.lastIndexOf('/'))
  if (readPath(value) !== null && folder !== '')
    return [
      [
        { at, under: [folder] },
        { kind: 'folder', argument, folder },
      ],
    ]
  const host = URL.parse(value)?.host ?? ''
  return host === ''
    ? []
    : [
        [
          { at, host: [host] },
          { kind: 'host', argument, host },
        ],
      ]
}

/** That every other argument is as it is; null where conditions cannot say so. */
function same(
  args: Record<string, unknown>,
  schema: Record<string, unknown>,
  but: readonly string[],
): Condition[] | null {
  const conditions: Condition[] = []
  const rest = Object.entries(args).filter(([name]) => !but.includes(name))
  for (const [name, value] of rest) {
    const at = writePointer([name])
    if (unnamed({ [name]: value }, [], schema).length === 0 && (value === null || typeof value === 'object')) continue
    if (!addSame(value, at, conditions)) return null
  }
  return conditions
}

function addSame(value: unknown, at: string, conditions: Condition[]): boolean {
  if (value === null || typeof value !== 'object') {
    conditions.push({ at, is: value as string | number | boolean | null })
    return true
  }
  const members = Object.entries(value)
  return members.length > 0 && members.every(([name, one]) => addSame(one, at + writePointer([name]), conditions))
}

/** Whether a rule that allows could say the same. */
function isSavable({ spec }: Pattern): boolean {
  const examples = { match: [{}], no_match: [{}] }
  return RuleSpec.safeParse(spec).success && specProblem({ ...spec, examples }, 'allow', 'tool') === null
}
