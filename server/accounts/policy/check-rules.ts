import type { z } from 'zod'
import { isConditional, type RuleSpec } from '../../../contract/rule-conditions.ts'
import type { ErrorCode } from '../../../contract/errors.ts'
import { HOST_ARGUMENT, MACHINE_MODULE } from '../../../contract/host-values.ts'
import type { Rule } from '../../../contract/rules.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { failedExample, ruleKey, specOf } from './compiled-rules.ts'
import { specProblem } from './conditions/check-spec.ts'
import { namesFolders, pointersOf } from './conditions/judge-spec.ts'
import { writePointer } from './conditions/pointer.ts'
import { type PolicySubject, readSubject } from './policy-subject.ts'
import type { ToolDefinition } from './policy-tool.ts'

type RuleEntry = z.infer<typeof Rule>

/** Characters of what all rules of a role say besides subject and effect, as JSON. */
const ALL_SPECS = 512 * 1024

/**
 * Refuses rules that could not mean what they say. Those that are `stored` already stay as they are: their tool need not
 * run for another rule to be changed.
 * @throws {AppError} bad_rule, rule_tool_missing, rule_example_failed, rule_path_unsafe
 */
export function checkRules(
  context: Pick<AccountsContext, 'findTool'>,
  rules: readonly RuleEntry[],
  role: { readonly everybody: boolean; readonly stored: readonly RuleEntry[] },
): void {
  const all = rules.reduce((sum, rule) => sum + (isPlain(rule) ? 0 : JSON.stringify(specOf(rule)).length), 0)
  if (all > ALL_SPECS)
    throw new AppError('bad_rule', say`The conditions of a role may have at most ${ALL_SPECS} characters together.`)
  const known = new Set(role.stored.map(ruleKey))
  for (const [i, rule] of rules.entries()) {
    const refuse = (code: ErrorCode, path: string, why: Sentence) =>
      new AppError(code, say`The rule for ${rule.subject} cannot be saved. ${why}`, {
        errors: [{ path: `rules.${i}${path}`, message: why }],
      })
    if (role.everybody && rule.effect === 'allow')
      throw refuse('bad_rule', '.effect', say`What binds everybody asks or denies; it allows nothing.`)
    if (role.everybody && rule.approvers?.length === 0)
      throw refuse('bad_rule', '.approvers', say`What binds everybody cannot leave the decision to whoever asks.`)
    if (!known.has(ruleKey(rule))) checkRule(context, rule, refuse)
  }
}

/** What a rule is about as far as conditions go: running a procedure is permitted or not, like anything without arguments. */
function aboutOf(about: PolicySubject): 'permission' | 'host' | 'module' | 'tool' {
  if (about.kind === 'tool') return about.tool === null ? 'module' : 'tool'
  return about.kind === 'host' ? 'host' : 'permission'
}

type Refuse = (code: ErrorCode, path: string, why: Sentence) => AppError

function checkRule({ findTool }: Pick<AccountsContext, 'findTool'>, rule: RuleEntry, refuse: Refuse): void {
  const spec = specOf(rule)
  const about = readSubject(rule.subject)
  const kind = aboutOf(about)
  if (about.kind === 'tool' && about.on !== undefined && about.module !== MACHINE_MODULE)
    throw refuse('bad_rule', '.subject', say`Only tools of the module “${MACHINE_MODULE}” work on machines.`)
  const problem = specProblem(spec, rule.effect, kind)
  if (problem !== null) throw refuse('bad_rule', problem.path, problem.why)
  if (!isConditional(spec) || about.kind !== 'tool') return
  const pointers = pointersOf([...(spec.when ?? []), ...(spec.unless ?? []).flat()])
  if (about.module === MACHINE_MODULE && pointers.includes(writePointer([HOST_ARGUMENT])))
    throw refuse('bad_rule', '', say`Conditions do not see the machine: name it behind the tool, as in “@web-1”.`)
  const definition = about.tool === null ? undefined : findTool(about.module, about.tool)?.definition
  const unsafe = folderCondition(spec, rule.effect)
  const folders = unsafe !== null
  if (
    definition === undefined &&
    (rule.effect === 'allow' || spec.examples !== undefined || (folders && about.tool !== null))
  )
    throw refuse(
      'rule_tool_missing',
      '.subject',
      say`Its tool is not running, and what it takes must be known for that.`,
    )
  if (folders && definition?.real_paths !== true)
    throw refuse(
      'rule_path_unsafe',
      unsafe ?? '',
      say`The tool does not promise that links cannot lead out of the folder.`,
    )
  if (definition !== undefined) checkExamples(rule, definition, refuse)
}

/** Where the first condition about a folder stands that makes the rule milder when it holds. */
function folderCondition({ when = [], unless = [] }: RuleSpec, effect: RuleEntry['effect']): string | null {
  const at = effect === 'allow' ? when.findIndex(namesFolders) : -1
  if (at >= 0) return `.when.${at}`
  for (const [g, group] of unless.entries()) {
    const i = group.findIndex(namesFolders)
    if (i >= 0) return `.unless.${g}.${i}`
  }
  return null
}

function checkExamples(rule: RuleEntry, definition: ToolDefinition, refuse: Refuse): void {
  const failed = failedExample({ spec: specOf(rule), effect: rule.effect }, definition)
  if (failed === null) return
  const why = failed.startsWith('examples.match')
    ? say`An example that must match does not.`
    : say`An example that must not match does.`
  throw refuse('rule_example_failed', `.${failed}`, why)
}

function isPlain(rule: RuleEntry): boolean {
  return Object.keys(specOf(rule)).length === 0
}
