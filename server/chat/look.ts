import { MACHINE_MODULE } from '../../contract/host-values.ts'
import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { quoted, say } from '../kernel/sentence.ts'
import { hashOf } from '../kernel/text/canonical.ts'
import { isTooDeep, JSON_DEPTH } from '../kernel/text/json-depth.ts'
import { cut, storable, visible } from '../kernel/text/plain-text.ts'
import { wordedTable } from '../kernel/worded-table.ts'
import type { CallHost } from './ports/hosts.ts'
import type { UserPolicy } from './ports/policy.ts'
import type { Tool, ToolResult } from './ports/tools.ts'
import { hostDisabled, usableHost } from './ports/usable-host.ts'
import { auditArguments } from './run/audit-call.ts'
import type { RunContext } from './run/run-context.ts'

/** Machines that one person looks at at once, and characters of what is told besides tables. */
export const LOOKS_AT_ONCE = 8
const TEXT = 4000
const RETRY_SECONDS = 2

export interface Look {
  readonly status: 'done' | 'failed'
  readonly text: string
  readonly tables: ToolResult['tables']
}

interface Asked {
  readonly host_id: string
  readonly tool: string
  readonly arguments: Record<string, unknown>
}

/**
 * Reading tools on one machine, without a run: judged, masked and recorded as a call in a conversation is. What asks is
 * refused, because nobody could be asked here.
 */
export class Looks {
  readonly #context: RunContext
  readonly #running = new Map<string, number>()

  constructor(context: RunContext) {
    this.#context = context
  }

  /** @throws {AppError} not_found, host_disabled, invalid_request, forbidden, approval_required, looks_busy */
  async look(caller: Caller, asked: Asked, signal: AbortSignal): Promise<Look> {
    const { tools, secrets } = this.#context.ports
    await tools.ready()
    const { own: policy, host } = await usableHost(this.#context.ports, caller, asked.host_id)
    if (host.disabled) throw hostDisabled(host.name)
    const found = tools.find(MACHINE_MODULE, asked.tool)
    if (found === undefined || found.hidden === true)
      throw new AppError('not_found', say`There is no such tool, or its module is switched off.`)
    if (found.effect !== 'read')
      throw new AppError('invalid_request', say`“${found.title}” may change something, so it needs a conversation.`)
    const tool = found.bare ?? found
    const input = this.#checked(tool, asked.arguments)
    const verdict = policy.call(tool, input, { untrusted: false, hosts: [host] })
    if (verdict.effect === 'deny') throw new AppError('forbidden', quoted(verdict.reason))
    if (verdict.effect === 'ask') throw new AppError('approval_required', quoted(verdict.reason))
    using _place = this.#place(caller.user_id)
    const tool_call_id = newId('toolCall')
    const started_at = Date.now()
    const result = await this.#run(caller, { tool, host, input, tool_call_id }, signal)
    await this.#record(policy, { tool, host, input, tool_call_id, started_at, status: result.status })
    const { status, text, tables } = secrets.mask(tool.module, {
      status: result.status,
      text: result.text,
      tables: [...result.tables],
    })
    const wording = tools.wording(tool.module, caller.language)
    return {
      status: status === 'done' ? 'done' : 'failed',
      text: storable(cut(visible(text.trim()), TEXT)),
      tables: tables.map((table) => wordedTable(table, wording)),
    }
  }

  /** What the rules say of each tool on a machine, in the order of the tools. @throws {AppError} not_found */
  async toolsOn(caller: Caller, host_id: string) {
    const { tools } = this.#context.ports
    await tools.ready()
    const { own: policy, host } = await usableHost(this.#context.ports, caller, host_id)
    const wording = tools.wording(MACHINE_MODULE, caller.language)
    return tools
      .list()
      .filter((tool) => tool.module === MACHINE_MODULE && tool.hidden !== true)
      .map((tool) => {
        const { name, title, description, effect } = tool
        const rule = onHost(policy, tool, host)
        return {
          tool: name,
          title: wording.text(title),
          description: wording.text(description),
          effect,
          policy: rule.effect,
          reason: rule.reason,
        }
      })
  }

  #checked(tool: Tool, given: Record<string, unknown>): Record<string, unknown> {
    const { argumentCharacters } = this.#context.limits
    if (isTooDeep(given))
      throw new AppError('invalid_request', say`The arguments are nested too deep: at most ${JSON_DEPTH} levels.`)
    if (JSON.stringify(given).length > argumentCharacters)
      throw new AppError('invalid_request', say`The arguments are too large: at most ${argumentCharacters} characters.`)
    const input = tool.fill(given)
    const wrong = tool.check(input)
    if (wrong !== null) throw new AppError('invalid_request', say`The arguments do not fit: ${wrong}`)
    return input
  }

  #place(user_id: string): Disposable {
    const running = this.#running.get(user_id) ?? 0
    if (running >= LOOKS_AT_ONCE)
      throw new AppError('looks_busy', say`At most ${LOOKS_AT_ONCE} at once. Try again in a moment.`, {
        retryAfter: RETRY_SECONDS,
      })
    this.#running.set(user_id, running + 1)
    return {
      [Symbol.dispose]: () => {
        const left = this.#running.get(user_id)! - 1
        if (left === 0) this.#running.delete(user_id)
        else this.#running.set(user_id, left)
      },
    }
  }

  /** Stops when nobody waits for the answer any more, and when the tool is switched off for everyone. */
  async #run(
    caller: Caller,
    { tool, host, input, tool_call_id }: Omit<Ran, 'started_at' | 'status'>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const { ports, switches } = this.#context
    using off = switches.watch(tool.module, tool.name)
    return await ports.tools.call(
      {
        tool_call_id,
        module: tool.module,
        tool: tool.name,
        definition_hash: tool.definition_hash,
        input,
        user_id: caller.user_id,
        run_id: '',
        conversation_id: '',
        ...(!host.local && { host_id: host.host_id }),
        ask: () => Promise.resolve({ action: 'cancel' }),
      },
      AbortSignal.any([signal, off.signal]),
      () => undefined,
    )
  }

  /** As far as the role keeps calls that only read. */
  async #record(policy: UserPolicy, { tool, host, input, tool_call_id, started_at, status }: Ran): Promise<void> {
    if (policy.audit_reads === 'off') return
    const { db, ports } = this.#context
    const { audit, secrets } = ports
    const name = `${tool.module}.${tool.name}`
    const failed = status !== 'done'
    await db.transaction(async (trx) => {
      if (policy.audit_reads === 'count')
        return await audit.count(trx, { actor: policy, action: 'tool.counted', target: name, failed })
      await audit.record(trx, {
        actor: policy,
        action: 'tool.called',
        target: tool_call_id,
        outcome: failed ? 'failed' : 'ok',
        details: {
          tool: name,
          title: tool.title,
          effect: tool.effect,
          ...auditArguments(
            JSON.stringify(secrets.mask(tool.module, input)),
            host.local ? null : JSON.stringify([{ host_id: host.host_id, name: host.name }]),
          ),
          arguments_hash: hashOf(input),
          status,
          duration_ms: Date.now() - started_at,
        },
      })
    })
  }
}

interface Ran {
  readonly tool: Tool
  readonly host: CallHost
  readonly input: Record<string, unknown>
  readonly tool_call_id: string
  /** Epoch milliseconds. */
  readonly started_at: number
  readonly status: ToolResult['status']
}

/** A rule that denies some calls of a tool doesn't deny the tool: whether one does is known once there are arguments. */
function onHost(policy: UserPolicy, tool: Tool, host: CallHost) {
  const mildest = policy.list(tool)
  if (mildest.effect === 'deny') return mildest
  const bare = tool.bare ?? tool
  const here = policy.call(bare, {}, { untrusted: false, hosts: [host] })
  if (here.effect !== 'deny') return here
  const anywhere = policy.call(bare, {}, { untrusted: false })
  return anywhere.effect === 'deny' ? { ...here, effect: 'ask' as const } : here
}
