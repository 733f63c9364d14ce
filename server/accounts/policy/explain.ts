import type { z } from 'zod'
import type { accounts } from '../../../contract/accounts.ts'
import type { Approvers } from '../../../contract/rule-conditions.ts'
import {
  PERMISSIONS,
  type Caller,
  type HandlerInput,
  type HandlerOutput,
  type Permission,
} from '../../../contract/route.ts'
import { noMachine } from '../../chat/ports/usable-host.ts'
import { AppError } from '../../kernel/app-error.ts'
import { inARow } from '../../kernel/joined-sentences.ts'
import { say } from '../../kernel/sentence.ts'
import { canonicalJson } from '../../kernel/text/canonical.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { loadRole } from './load-role.ts'
import { decideOn } from './decide-on.ts'
import { filledArguments, machinesNamed } from './on-machines.ts'
import { explainProcedure } from './explain-procedure.ts'
import { type Answer, decide, type PolicyRole, subjectOf } from './permissions.ts'
import type { Question, Step } from './question.ts'
import { orUnknown } from './policy-tool.ts'

type Body = z.output<(typeof accounts.explainPolicy.body)['schema']>
type Explanation = HandlerOutput<typeof accounts.explainPolicy>

/**
 * What the policy decides for a user or a role and a tool, permission or procedure, with every step.
 * @throws {AppError} not_found (no such user, role or procedure), invalid_request (`tool` names none of them)
 */
export async function explainPolicy(
  context: AccountsContext,
  caller: Caller,
  body: HandlerInput<typeof accounts.explainPolicy>['body'],
): Promise<Explanation> {
  const who = await subjectRole(context, body)
  const role = who && (await loadRole(context.db.read, who.role_id))
  if (!who || !role)
    throw new AppError('not_found', body.role === undefined ? say`There is no such user.` : say`There is no such role.`)
  const { question, known_tool } = questionOf(context, body)
  const { effect, reason, trace } = await judge(context, role, question, body)
  const answer = { subject: subjectOf(question), role: role.name, known_tool }
  const { language } = caller
  const steps = trace.map(({ step, matched, subject, effect: to, note, conditions }) => ({
    step,
    matched,
    subject,
    effect: to,
    note: note.in(language),
    ...(conditions ? { conditions: conditions.map((one) => ({ ...one, why: one.why.in(language) })) } : {}),
  }))
  if (!who.disabled) return { ...answer, effect, reason: reason.in(language), trace: steps }
  const note = say`The account is disabled, so nothing is allowed.`.in(language)
  return {
    ...answer,
    effect: 'deny',
    reason: note,
    trace: [{ step: 'user', matched: true, subject: null, effect: 'deny', note }, ...steps],
  }
}

async function judge(
  context: AccountsContext,
  role: PolicyRole,
  question: Question,
  { host, arguments: values }: Body,
): Promise<Pick<Answer, 'effect' | 'reason' | 'trace'>> {
  if (question.kind === 'procedure') return explainProcedure(context, role, question, values ?? null)
  if (question.kind === 'permission') return decide(role, null, question)
  const hosts = machinesNamed(question.tool, host, await context.hosts())
  if (hosts?.length === 0) throw noMachine()
  const answer = decideOn(role, null, question, hosts)
  if (answer.effect !== 'ask') return answer
  return { ...answer, trace: [...answer.trace, await decidersStep(context, answer.needs)] }
}

/** Who decides about a call that asks. */
async function decidersStep({ db }: AccountsContext, needs: readonly Approvers[]): Promise<Step> {
  const step = { step: 'deciders', matched: true, subject: null, effect: null }
  if (needs.length === 0) return { ...step, note: say`Whoever asks for the call decides.` }
  const ids = needs.map(({ role_id }) => role_id)
  const roles = await db.read.selectFrom('role').select(['role_id', 'name']).where('role_id', 'in', ids).execute()
  const names = new Map(roles.map(({ role_id, name }) => [role_id, name]))
  const [first, ...others] = needs.map(
    ({ role_id, count }) =>
      say`With the role “${names.get(role_id) ?? ''}”, ${count} must agree, not counting whoever asks.`,
  )
  return { ...step, note: inARow([first!, ...others]) }
}

/** A role is given by the name administrators see, or by its id. */
async function subjectRole(
  { db }: AccountsContext,
  body: Body,
): Promise<{ role_id: string; disabled: boolean } | null> {
  if (body.user_id !== undefined) {
    const user = await db.read
      .selectFrom('user')
      .select(['role_id', 'disabled_at'])
      .where('user_id', '=', storable(body.user_id))
      .executeTakeFirst()
    return user ? { role_id: user.role_id, disabled: user.disabled_at !== null } : null
  }
  const name = storable(body.role ?? '')
  const role = await db.read
    .selectFrom('role')
    .select('role_id')
    .where((where) => where.or([where('name_folded', '=', fold(name)), where('role_id', '=', name)]))
    .executeTakeFirst()
  return role ? { role_id: role.role_id, disabled: false } : null
}

function questionOf(context: AccountsContext, body: Body): { question: Question; known_tool: boolean } {
  const permission = PERMISSIONS.find((one: Permission) => one === body.tool)
  if (permission) return { question: { kind: 'permission', permission }, known_tool: true }
  const [, procedure_id] = /^procedure:([A-Za-z0-9_]{1,64})$/.exec(body.tool) ?? []
  if (procedure_id !== undefined) return { question: { kind: 'procedure', procedure_id }, known_tool: true }
  const [, module, name] = /^(?:tool:)?([a-z0-9][a-z0-9-]{0,63})\.([A-Za-z0-9_.-]{1,128})$/.exec(body.tool) ?? []
  if (module === undefined || name === undefined) {
    throw new AppError(
      'invalid_request',
      say`Name a tool as <module>.<tool>, a permission, or a procedure as procedure:<id>.`,
      {
        errors: [
          { path: 'tool', message: `must be <module>.<tool>, procedure:<id> or one of ${PERMISSIONS.join(', ')}` },
        ],
      },
    )
  }
  const found = context.findTool(module, name)
  const tool = orUnknown(found, module, name)
  const known_tool = found !== undefined
  if (body.arguments === undefined) return { question: { kind: 'tool', tool, argumentsLength: 0 }, known_tool }
  const args = filledArguments(found, body.arguments)
  return { question: { kind: 'tool', tool, argumentsLength: canonicalJson(args).length, args }, known_tool }
}
