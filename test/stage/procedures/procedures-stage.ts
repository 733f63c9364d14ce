import type { z } from 'zod'
import { contract } from '../../../contract/index.ts'
import type { Draft, DraftStep, Param, ProcedureDetail } from '../../../contract/procedure-values.ts'
import type { Rule } from '../../../contract/rules.ts'
import type { Message } from '../../../contract/chat.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'
import { lastAnswer, openStage, type Stage } from '../chat-stage.ts'
import type { TestClient } from '../client.ts'
import { PASSWORD } from '../people.ts'
import type { TestDatabase } from '../servers/postgres.ts'
import { until } from '../wait.ts'

type Rules = z.input<typeof Rule>[]

export const MACHINE: Param = { name: 'machine', title: 'Machine', test: { hosts: ['#all'] } }
export const ON_MACHINE = { $param: 'machine' }

export function step(tool: string, given: Record<string, unknown>, more: Partial<DraftStep> = {}): DraftStep {
  const [module = '', name = ''] = tool.split('.')
  return { module, tool: name, note: '', arguments: given, confirm: false, ...more }
}

export function draftOf(name: string, steps: DraftStep[], params: Param[] = [MACHINE]): Draft {
  return { name, description: '', params, steps }
}

/** The real service with people who write, review and run procedures. */
export interface ProceduresStage extends Stage {
  readonly author: TestClient
  readonly reviewer: TestClient
  /** Somebody whose role has these rules and nothing else: no tool of the machine. */
  shift(username: string, rules?: Rules): Promise<{ client: TestClient; role_id: string }>
  write(draft: Draft): Promise<ProcedureDetail>
  submit(of: ProcedureDetail): Promise<ProcedureDetail>
  approve(of: ProcedureDetail): Promise<ProcedureDetail>
  /** Written, submitted and reviewed. */
  reviewed(draft: Draft): Promise<ProcedureDetail>
  /** A new version, written, submitted and reviewed. */
  reviewedAgain(of: ProcedureDetail, draft: Draft): Promise<ProcedureDetail>
}

/** What one person writes and another reviews. */
export function writing(author: TestClient, reviewer: TestClient) {
  const seen = ({ versions: [newest] }: ProcedureDetail) => ({
    version: newest!.version,
    content_hash: newest!.content_hash,
  })
  const params = ({ procedure: { procedure_id } }: ProcedureDetail) => ({ procedure_id })
  const write = (draft: Draft) => author.call(contract.procedures.create, { body: draft })
  const submit = (of: ProcedureDetail) =>
    author.call(contract.procedures.submit, { params: params(of), body: seen(of) })
  const approve = (of: ProcedureDetail) =>
    reviewer.call(contract.procedures.review, { params: params(of), body: { ...seen(of), decision: 'approve' } })
  const reviewed = async (draft: Draft) => approve(await submit(await write(draft)))
  const reviewedAgain = async (of: ProcedureDetail, draft: Draft) => {
    const begun = await author.call(contract.procedures.newDraft, { params: params(of) })
    const body = { seen: seen(begun).content_hash, draft }
    return approve(await submit(await author.call(contract.procedures.saveDraft, { params: params(of), body })))
  }
  return { write, submit, approve, reviewed, reviewedAgain }
}

export async function openProceduresStage(
  database: TestDatabase,
  builtins: readonly BuiltinModule[] = [],
  options: { readonly clock?: () => number } = {},
): Promise<ProceduresStage> {
  const stage = await openStage(database, { engine: false, builtins, ...options })
  const reviewer = await stage.as('admin')
  const { client: author } = await stage.member('author')
  return {
    ...stage,
    author,
    reviewer,
    async shift(username, rules = []) {
      const { role } = await reviewer.call(contract.accounts.createRole, { body: { name: `only ${username}`, rules } })
      const { role_id } = role
      await reviewer.call(contract.accounts.createUser, { body: { username, password: PASSWORD, role_id } })
      return { client: await stage.signIn(username), role_id }
    },
    ...writing(author, reviewer),
  }
}

/** Runs the current version and gives the answer once the run rests. */
export async function runIt(
  client: TestClient,
  procedure_id: string,
  values: Record<string, unknown>,
): Promise<{ run_id: string; conversation_id: string; answer: Message }> {
  const started = await client.call(contract.procedures.run, { params: { procedure_id }, body: { values } })
  return { ...started, answer: await restingAnswer(client, started.conversation_id) }
}

export async function restingAnswer(client: TestClient, conversation_id: string): Promise<Message> {
  await until(async () => (await lastAnswer(client, conversation_id)).status !== 'streaming')
  return lastAnswer(client, conversation_id)
}
