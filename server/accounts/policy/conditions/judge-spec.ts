import type { Condition, RuleSpec } from '../../../../contract/rule-conditions.ts'
import type { Effect } from '../../../../contract/route.ts'
import { findCommand } from './argv.ts'
import { unnamed } from './closed-world.ts'
import {
  allFound,
  DIFFERS,
  type Finding,
  FITS,
  type Found,
  LINKS,
  MISSING,
  NO_ARGUMENTS,
  ODD,
  TOO_LONG,
  WRONG_TYPE,
} from './finding.ts'
import { follow, readPointer } from './pointer.ts'
import { allOfThem, anyOfThem, type Truth } from './truth.ts'
import { findValue, operatorOf } from './value-test.ts'

/** Items of a list that is judged. */
const ITEMS_JUDGED = 1000

/** What a call is judged by. */
export interface Judged {
  /** The arguments as they will be sent; null: none were given, and every condition is unknown. */
  readonly args: Record<string, unknown> | null
  /** The tool's schema, whose defaults the closed world knows; null: the tool is not known, and there are no defaults. */
  readonly schema: Record<string, unknown> | null
  /** The tool promises that no link leads a path out of its folder. */
  readonly realPaths: boolean
  /** The machine finds programs by name in other places, too. */
  readonly windows: boolean
}

export interface SpecOutcome {
  /** Whether what the rule asks for holds. */
  readonly holds: Truth
  readonly findings: readonly Finding[]
}

/**
 * Whether a rule with conditions holds for a call: all of `when`, no group of `unless`, and for one that allows no other
 * argument. Pure.
 */
export function judgeSpec(spec: RuleSpec, effect: Effect, judged: Judged): SpecOutcome {
  const find = (condition: Condition) => findCondition(condition, judged)
  const milder = (condition: Condition) => withLinks(find(condition), condition, judged)
  const when = (spec.when ?? []).map(effect === 'allow' ? milder : find)
  const unless = (spec.unless ?? []).map((group) => group.map(milder))
  const others = effect === 'allow' ? closedWorld(spec, judged) : []
  const except = anyOfThem(unless.map((group) => allOfThem(group.map(({ outcome }) => outcome))))
  const holds = allOfThem([...[...when, ...others].map(({ outcome }) => outcome), not(except)])
  return { holds, findings: [...when, ...unless.flat(), ...others] }
}

function not(truth: Truth): Truth {
  return truth === 'unknown' ? truth : truth === 'true' ? 'false' : 'true'
}

/** Where a condition that holds makes a rule milder, a path by its spelling alone is not enough. */
function withLinks(finding: Finding, condition: Condition, { realPaths }: Judged): Finding {
  return realPaths || finding.outcome !== 'true' || !namesFolders(condition) ? finding : { ...finding, ...LINKS }
}

export function namesFolders(condition: Condition): boolean {
  if ('argv' in condition) return condition.tokens.some((token) => typeof token === 'object' && 'under' in token)
  return 'under' in ('each' in condition ? condition.each : condition)
}

/** The pointers of everything that a rule speaks of. */
export function pointersOf(conditions: readonly Condition[]): string[] {
  return conditions.flatMap((one) => ('argv' in one ? [one.argv.program, one.argv.args, '/shell'] : [one.at]))
}

function closedWorld(spec: RuleSpec, { args, schema }: Judged): readonly Finding[] {
  if (args === null) return [{ at: '', operator: 'only_these', ...NO_ARGUMENTS }]
  return unnamed(args, [...pointersOf(spec.when ?? []), ...(spec.free ?? [])], schema ?? {})
}

function findCondition(condition: Condition, { args, windows }: Judged): Finding {
  if ('argv' in condition)
    return {
      at: condition.argv.program,
      operator: 'argv',
      ...(args === null ? NO_ARGUMENTS : findCommand(args, condition, windows)),
    }
  const { at } = condition
  const operator = 'each' in condition ? 'each' : 'absent' in condition ? 'absent' : operatorOf(condition)
  return { at, operator, ...(args === null ? NO_ARGUMENTS : findAt(args, condition)) }
}

function findAt(args: Record<string, unknown>, condition: Exclude<Condition, { argv: unknown }>): Found {
  const target = follow(args, readPointer(condition.at) ?? [])
  if (target.kind === 'nowhere') return WRONG_TYPE
  if ('absent' in condition) return target.kind === 'absent' ? FITS : DIFFERS
  if (target.kind === 'absent') return MISSING
  if (!('each' in condition)) return findValue(target.value, condition)
  const { value } = target
  if (!Array.isArray(value)) return WRONG_TYPE
  // An empty list may mean everything to a tool.
  if (value.length === 0) return ODD
  if (value.length > ITEMS_JUDGED) return TOO_LONG
  return allFound(value.map((item) => findValue(item, condition.each)))
}
