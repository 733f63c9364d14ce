import type { z } from 'zod'
import { isConditional, type RuleSpec } from '../../../contract/rule-conditions.ts'
import type { Effect } from '../../../contract/route.ts'
import type { Rule } from '../../../contract/rules.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { type Judged, judgeSpec, type SpecOutcome } from './conditions/judge-spec.ts'
import type { JudgedHost } from '../../chat/ports/hosts.ts'
import { namesOf, type PolicySubject, readSubject, writeSubject } from './policy-subject.ts'
import type { PolicyTool, ToolDefinition } from './policy-tool.ts'

type RuleEntry = z.infer<typeof Rule>

/** A rule as the engine judges by it. */
export interface CompiledRule {
  readonly subject: string
  readonly effect: Effect
  readonly spec: RuleSpec
  readonly conditional: boolean
  /** Of the role `everybody`. */
  readonly common: boolean
  /** Tells rules of the same subject and effect apart; empty for one that says nothing else. */
  readonly spec_hash: string
  /** Orders rules of the same effect. */
  readonly key: string
  /** Whether the examples no longer come out as they say, by the definition they were tried with last. */
  tried: { readonly definition_hash: string; readonly failed: boolean } | null
}

export interface RuleSet {
  readonly rules: readonly RuleEntry[]
  readonly common?: readonly RuleEntry[]
}

interface Compiled {
  readonly bySubject: ReadonlyMap<string, readonly CompiledRule[]>
  /** Some are about machines. */
  readonly onHosts: boolean
  /** What was asked for already, by tool or permission. */
  readonly about: Map<string, readonly CompiledRule[]>
}

const WINDOWS = process.platform === 'win32'
const compiled = new WeakMap<RuleSet, Compiled>()
const NONE = { tool: [], host: [] }
const SEVERITY: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 }

/** What a rule says besides subject and effect. */
export function specOf({ subject: _subject, effect: _effect, ...spec }: RuleEntry): RuleSpec {
  return spec
}

/** Rules are the same if this is: a role has each once. */
export function ruleKey(rule: RuleEntry): string {
  return `${rule.subject} ${rule.effect} ${specHash(specOf(rule))}`
}

export function specHash(spec: RuleSpec): string {
  return Object.keys(spec).length === 0 ? '' : hashOf(spec)
}

/**
 * The rules of a role and of everybody about a tool or permission, the strictest first; those about machines are apart.
 */
export function rulesAbout(role: RuleSet, about: PolicySubject): readonly CompiledRule[] {
  const { bySubject, about: asked } = compiledRules(role)
  const subject = writeSubject(about)
  let rules = asked.get(subject)
  if (rules === undefined) {
    const own = bySubject.get(subject) ?? []
    const wide = about.kind === 'tool' ? (bySubject.get(writeSubject({ ...about, tool: null })) ?? []) : []
    rules = [...own, ...wide].toSorted(strictFirst)
    asked.set(subject, rules)
  }
  return rules
}

/** The rules about a tool on a machine alone, and those about the machine, each the strictest first. */
export function rulesOn(
  role: RuleSet,
  about: PolicySubject,
  host: JudgedHost,
): { readonly tool: readonly CompiledRule[]; readonly host: readonly CompiledRule[] } {
  const { bySubject, onHosts } = compiledRules(role)
  if (!onHosts) return NONE
  const names = namesOf(host)
  const of = (subjects: PolicySubject[]) =>
    subjects.flatMap((subject) => bySubject.get(writeSubject(subject)) ?? []).toSorted(strictFirst)
  const tools = about.kind === 'tool' ? [about, { ...about, tool: null }] : []
  return {
    tool: of(tools.flatMap((tool) => names.map((on) => ({ ...tool, on })))),
    host: of(names.map((on) => ({ kind: 'host', on }))),
  }
}

/** The rules about a tool on some machine, whichever. */
export function rulesSomewhere(role: RuleSet, { module, tool }: { module: string; tool: string }): CompiledRule[] {
  const { bySubject, onHosts } = compiledRules(role)
  if (!onHosts) return []
  return [...bySubject].flatMap(([text, rules]) => {
    const about = readSubject(text)
    const meant = about.kind === 'tool' && about.on !== undefined && about.module === module
    return meant && (about.tool === null || about.tool === tool) ? rules : []
  })
}

/** A role is compiled once, with its first question: `Roles` keeps one object per revision. */
function compiledRules(role: RuleSet): Compiled {
  let known = compiled.get(role)
  if (known === undefined) {
    const all = [
      ...role.rules.map((rule) => compile(rule, false)),
      ...(role.common ?? []).map((rule) => compile(rule, true)),
    ]
    // However the name of a machine is written, it is the same.
    const bySubject = Map.groupBy(all, ({ subject }) => writeSubject(readSubject(subject)))
    const onHosts = [...bySubject.keys()].map(readSubject).some((about) => 'on' in about)
    known = { bySubject, onHosts, about: new Map() }
    compiled.set(role, known)
  }
  return known
}

function strictFirst(a: CompiledRule, b: CompiledRule): number {
  return SEVERITY[b.effect] - SEVERITY[a.effect] || (a.key < b.key ? -1 : 1)
}

function compile(rule: RuleEntry, common: boolean): CompiledRule {
  const { subject, effect } = rule
  const spec = specOf(rule)
  const spec_hash = specHash(spec)
  const key = `${subject} ${common ? 1 : 0} ${spec_hash}`
  return { subject, effect, spec, conditional: isConditional(spec), common, spec_hash, key, tried: null }
}

/** How the conditions of a rule come out for a call; `args` null: there are none to judge. */
export function judgeRule(
  { spec, effect }: Pick<CompiledRule, 'spec' | 'effect'>,
  definition: ToolDefinition | undefined,
  args: Judged['args'],
): SpecOutcome {
  const schema = definition?.input_schema ?? null
  return judgeSpec(spec, effect, { args, schema, realPaths: definition?.real_paths === true, windows: WINDOWS })
}

/** Whether a rule applies to a call for which its conditions came out like this. */
export function applies(effect: Effect, { holds }: SpecOutcome): boolean {
  return effect === 'allow' ? holds === 'true' : holds !== 'false'
}

/** The first example that does not come out as it says, as a path within the rule; null when all do. */
export function failedExample(
  rule: Pick<CompiledRule, 'spec' | 'effect'>,
  definition: ToolDefinition,
): `examples.${'match' | 'no_match'}.${number}` | null {
  for (const kind of ['match', 'no_match'] as const)
    for (const [i, example] of (rule.spec.examples?.[kind] ?? []).entries()) {
      const applied = applies(rule.effect, judgeRule(rule, definition, definition.fill(example)))
      if (applied !== (kind === 'match')) return `examples.${kind}.${i}`
    }
  return null
}

/**
 * Whether a rule with conditions that allows may allow nothing: the tool is not known, or by its present definition the
 * examples no longer come out as they say.
 */
export function isStale(rule: CompiledRule, { definition }: PolicyTool): boolean {
  if (!rule.conditional || rule.effect !== 'allow') return false
  if (definition === undefined) return true
  const { definition_hash } = definition
  if (rule.tried?.definition_hash !== definition_hash)
    rule.tried = { definition_hash, failed: failedExample(rule, definition) !== null }
  return rule.tried.failed
}
