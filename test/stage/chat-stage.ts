import { contract } from '../../contract/index.ts'
import type { z } from 'zod'
import type { GrantWanted } from '../../contract/grants.ts'
import type { Rule } from '../../contract/rules.ts'
import type { ActivityEvent, ChatResult, Message, Part } from '../../contract/chat.ts'
import type { BuiltinModule } from '../../server/modules/spec/builtin-module.ts'
import { startTestApp, type TestApp } from './app.ts'
import type { TestClient } from './client.ts'
import { withMachineTools } from './modules/machine-rules.ts'
import { PASSWORD } from './people.ts'
import type { TestDatabase } from './servers/postgres.ts'
import { startScriptedModel, type ScriptedRequest, type ScriptedStep } from './servers/scripted-model.ts'

type Rules = z.input<typeof Rule>[]
type Answers = readonly ScriptedStep[][] | ((request: ScriptedRequest, index: number) => ScriptedStep[])

export interface Member {
  readonly client: TestClient
  readonly user_id: string
  readonly role_id: string
}

/** The real service with a scripted engine that many tests share, because each cue has a script of its own. */
export interface Stage extends TestApp {
  /** How the engine answers a message that holds the word `cue`, request by request. Returns the requests as they come. */
  play(cue: string, answers: Answers): readonly ScriptedRequest[]
  /** A user with a role of their own, which also has the tools of the machine where no rule is about them. */
  member(username: string, rules?: Rules): Promise<Member>
  setRules(member: Member, rules: Rules): Promise<void>
  /** Requests that were too large for the engine. */
  readonly refused: number
}

export const ALLOW_COMMANDS: Rules = [{ subject: 'tool:system.run_command', effect: 'allow' }]

export async function openStage(
  database: TestDatabase,
  options: {
    env?: Record<string, string>
    engine?: boolean
    /** Tokens that its engine takes, and refuses to take more of. */
    context?: number
    builtins?: readonly BuiltinModule[]
    clock?: () => number
    gatewayHold?: number
  } = {},
): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const parts = new Map<string, { answers: Answers; requests: ScriptedRequest[] }>()
  const model = opened.use(
    await startScriptedModel((request) => {
      const asked = textOf(request.messages.findLast((message) => message.role === 'user')?.content)
      const cue = [...parts.keys()].filter((word) => asked.includes(word)).sort((a, b) => b.length - a.length)[0]
      const part = cue === undefined ? undefined : parts.get(cue)
      if (part === undefined) return [{ text: 'Understood.' }]
      const index = part.requests.push(request) - 1
      const steps = typeof part.answers === 'function' ? part.answers(request, index) : part.answers[index]
      return steps ?? [{ status: 400, body: { error: { message: `no answer number ${index + 1} to ${cue}` } } }]
    }, options),
  )
  const app = opened.use(
    await startTestApp({
      database,
      env: {
        ...(options.context !== undefined && { REEVE_AI_CONTEXT_TOKENS: String(options.context) }),
        ...options.env,
      },
      model: options.engine === false ? undefined : model,
      builtins: options.builtins,
      gatewayHold: options.gatewayHold,
      ...(options.clock && { routineClock: options.clock }),
    }),
  )

  async function member(username: string, rules: Rules = []): Promise<Member> {
    const admin = await app.as('admin')
    const own = { name: `role of ${username}`, rules: withMachineTools(rules) }
    const { role } = await admin.call(contract.accounts.createRole, { body: own })
    const body = { username, password: PASSWORD, role_id: role.role_id }
    const { user } = await admin.call(contract.accounts.createUser, { body })
    const client = await app.signIn(username)
    return { client, user_id: user.user_id, role_id: role.role_id }
  }

  const closing = opened.move()
  return {
    ...app,
    play(cue, answers) {
      const requests: ScriptedRequest[] = []
      parts.set(cue, { answers, requests })
      return requests
    },
    member,
    get refused() {
      return model.refused
    },
    async setRules({ role_id }, rules) {
      const admin = await app.as('admin')
      await admin.call(contract.accounts.updateRole, { params: { role_id }, body: { rules: withMachineTools(rules) } })
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

interface SendMore {
  engine?: { engine_id: string; model: string }
  modules?: string[] | null
  /** Left out: a new conversation. undefined: the current one. */
  conversation_id?: string | null | undefined
  attachment_ids?: string[]
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Sends a message and gives the result of the run once it rests. */
export async function say(client: TestClient, message: string, more: SendMore = {}): Promise<ChatResult> {
  const { headers, signal, ...fields } = { conversation_id: null, ...more }
  const answer = await client.call(contract.chat.send, { body: { message, ...fields }, headers, signal })
  if (answer.status !== 200) throw new Error('The answer did not wait for the run.')
  return answer.body
}

/** Sends a message and gives the ids at once. */
export async function begin(
  client: TestClient,
  message: string,
  more: SendMore = {},
): Promise<{ run_id: string; conversation_id: string }> {
  const { headers, signal, ...fields } = { conversation_id: null, ...more }
  const all = { prefer: 'respond-async', ...headers }
  const answer = await client.call(contract.chat.send, { body: { message, ...fields }, headers: all, signal })
  if (answer.status !== 202) throw new Error('The answer waited for the run.')
  return answer.body
}

export async function messagesOf(client: TestClient, conversation_id: string): Promise<Message[]> {
  const { messages } = await client.call(contract.chat.conversation, {
    params: { conversation_id },
    query: { limit: 200 },
  })
  return messages
}

/** The newest answer of a conversation. */
export async function lastAnswer(client: TestClient, conversation_id: string): Promise<Message> {
  const answer = (await messagesOf(client, conversation_id)).findLast(({ role }) => role === 'assistant')
  if (answer === undefined) throw new Error('There is no answer.')
  return answer
}

export function partsOf<T extends Part['type']>(message: Message, type: T): Extract<Part, { type: T }>[] {
  return message.parts.filter((part): part is Extract<Part, { type: T }> => part.type === type)
}

export function noticesOf(message: Message): string[] {
  return partsOf(message, 'notice').map((part) => part.notice.code)
}

/** What a request to the engine says of the results of tools, newest step last. */
export function toolResults(request: ScriptedRequest | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map((message) => textOf(message.content))
}

export function textOf(content: ScriptedRequest['messages'][number]['content'] | undefined): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')
}

/** Decides a card and gives the answer of the server. */
export function decide(
  client: TestClient,
  approval_id: string,
  decision: 'approve' | 'approve_for_conversation' | 'deny',
  more: { reason?: string; grant?: GrantWanted; headers?: Record<string, string> } = {},
) {
  const { headers, ...fields } = more
  return client.call(contract.chat.decideApproval, { params: { approval_id }, body: { decision, ...fields }, headers })
}

/** A call of run_command with a script for the shell. */
export function command(script: string): { name: string; arguments: Record<string, unknown> } {
  return { name: 'system.run_command', arguments: { command: script, shell: true } }
}

/** The newest events of a person, of one run where `run_id` is given; deltas are left out. */
export async function recentEvents(client: TestClient, run_id?: string): Promise<ActivityEvent[]> {
  const { events } = await client.call(contract.chat.activity)
  return events.filter((event) => run_id === undefined || event.run_id === run_id)
}
