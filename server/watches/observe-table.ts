import { LOCAL_HOST } from '../../contract/host-values.ts'
import { WATCH_LIMITS } from '../../contract/watch-limits.ts'
import type { TableSource, WatchCondition } from '../../contract/watch-values.ts'
import type { CallHost } from '../chat/ports/hosts.ts'
import type { UserPolicy } from '../chat/ports/policy.ts'
import { type Tool, type ToolResult, worksOnMachines } from '../chat/ports/tools.ts'
import { newId } from '../kernel/id.ts'
import { quoted, say, Sentence } from '../kernel/sentence.ts'
import { cut, storable, visible } from '../kernel/text/plain-text.ts'
import type { CalledTool, Observed, Seen } from './seen.ts'
import { seenRows } from './table-rows.ts'
import type { WatchesContext } from './watches-context.ts'

/** Milliseconds for one call. */
const CALL_MS = 30_000
/** Machines asked at once. */
const AT_ONCE = 8

interface TableLook {
  readonly source: TableSource
  readonly condition: WatchCondition
  readonly hosts: readonly CallHost[]
}

/**
 * Calls a tool that only reads, as the owner of the watch may now, and looks at its table. What would ask is a refusal:
 * nobody is there to be asked.
 */
export async function observeTable(
  context: WatchesContext,
  policy: UserPolicy,
  { source, condition, hosts }: TableLook,
  signal: AbortSignal,
): Promise<Observed> {
  const of = { machines: new Set<string>(), answered: new Set<string>(), columns: [], called: [], seen: [] }
  const fit = await fitCall(context, policy, source, hosts)
  if (fit instanceof Sentence) return { ...of, problem: fit }
  const { tool, bare, input, machines } = fit

  const found: { host: CallHost | null; said: Answer }[] = []
  const called: CalledTool[] = []
  const waiting = [...machines]
  const worker = async (): Promise<void> => {
    for (let host = waiting.shift(); host !== undefined; host = waiting.shift()) {
      if (verdictOf(policy, bare, input, host).effect !== 'allow') {
        found.push({ host, said: { problem: refusalOf(policy, bare, input, host) } })
        continue
      }
      const tool_call_id = newId('toolCall')
      const result = await callOn(context, { tool: bare, input, policy, host, tool_call_id }, signal)
      signal.throwIfAborted()
      called.push({
        actor: policy,
        tool_call_id,
        tool: `${tool.module}.${tool.name}`,
        arguments: JSON.stringify(context.secrets.mask(tool.module, input)),
        host: host?.name ?? LOCAL_HOST,
        failed: result.status !== 'done',
      })
      found.push({ host, said: read(context, tool, source, condition, result) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const all = together(found)
  const many = all.seen.length > WATCH_LIMITS.subjects
  const problem = many
    ? say`There is too much to follow: ${all.seen.length} rows, and ${WATCH_LIMITS.subjects} are the most.`
    : null
  return { ...all, seen: many ? [] : all.seen, called, problem }
}

interface FitCall {
  readonly tool: Tool
  /** Without the argument that names machines. */
  readonly bare: Tool
  readonly input: Record<string, unknown>
  /** Null: the tool works on none. */
  readonly machines: readonly (CallHost | null)[]
}

/** The call that a source stands for; a sentence where it can be made nowhere. */
export async function fitCall(
  { tools }: Pick<WatchesContext, 'tools'>,
  policy: UserPolicy,
  source: TableSource,
  hosts: readonly CallHost[],
): Promise<FitCall | Sentence> {
  await tools.ready()
  const tool = tools.find(source.module, source.tool)
  if (tool === undefined || tool.hidden === true) return say`The tool is not available.`
  if (tool.effect !== 'read') return say`Only tools that read can be watched; this one may change something.`
  const bare = tool.bare ?? tool
  const input = bare.fill(source.arguments)
  const wrong = bare.check(input)
  if (wrong !== null) return say`The arguments do not fit: ${wrong}`
  const machines = worksOnMachines(tool) ? hosts : [null]
  const open = machines.some((host) => verdictOf(policy, bare, input, host).effect === 'allow')
  return open ? { tool, bare, input, machines } : refusalOf(policy, bare, input, machines[0] ?? null)
}

interface Call {
  readonly tool: Tool
  readonly input: Record<string, unknown>
  readonly policy: UserPolicy
  readonly host: CallHost | null
  readonly tool_call_id: string
}

async function callOn(
  { tools }: WatchesContext,
  { tool, input, policy, host, tool_call_id }: Call,
  signal: AbortSignal,
): Promise<ToolResult> {
  return tools.call(
    {
      tool_call_id,
      module: tool.module,
      tool: tool.name,
      definition_hash: tool.definition_hash,
      input,
      user_id: policy.user_id,
      run_id: '',
      conversation_id: '',
      ...(host !== null && !host.local && { host_id: host.host_id }),
      ask: () => Promise.resolve({ action: 'cancel' }),
    },
    AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    () => undefined,
  )
}

function verdictOf(policy: UserPolicy, tool: Tool, input: Record<string, unknown>, host: CallHost | null) {
  // What it reads starts nothing else, and others may have written what the arguments were made of.
  return policy.call(tool, input, { untrusted: true, hosts: host === null ? undefined : [host] })
}

function refusalOf(policy: UserPolicy, tool: Tool, input: Record<string, unknown>, host: CallHost | null): Sentence {
  const { effect, reason } = verdictOf(policy, tool, input, host)
  return effect === 'ask'
    ? say`The call would have to be approved, and nobody is there to do so: ${quoted(reason)}`
    : say`The call is not allowed: ${quoted(reason)}`
}

type Answer = {
  /** Of the table, where one came. */
  readonly columns?: Observed['columns']
} & (
  | { readonly problem: Sentence }
  | { readonly problem: null; readonly rows: Exclude<ReturnType<typeof seenRows>, Sentence> }
)

function read(
  { secrets }: WatchesContext,
  tool: Tool,
  source: TableSource,
  condition: WatchCondition,
  result: ToolResult,
): Answer {
  const text = storable(cut(visible(secrets.mask(tool.module, result.text.trim())), WATCH_LIMITS.text))
  if (result.status !== 'done') return { problem: text === '' ? say`The tool gave no answer.` : quoted(text) }
  const [table] = result.tables
  if (table === undefined) return { problem: say`The tool answered without a table.` }
  const shown = secrets.mask(tool.module, table)
  const columns = shown.columns.map(({ key, label }) => ({ key, label }))
  const rows = seenRows(source, condition, shown)
  return rows instanceof Sentence ? { problem: rows, columns } : { problem: null, rows, columns }
}

function together(
  found: readonly { readonly host: CallHost | null; readonly said: Answer }[],
): Pick<Observed, 'seen' | 'machines' | 'answered' | 'columns'> {
  const seen: Seen[] = []
  const answered = new Set<string>()
  let columns: Observed['columns'] = []
  for (const { host, said } of found) {
    const where = { host_id: host?.host_id ?? LOCAL_HOST, machine: host?.name ?? '' }
    columns = said.columns ?? columns
    if (said.problem !== null) {
      seen.push({ ...where, row: '', value: null, problem: said.problem })
      continue
    }
    answered.add(where.host_id)
    for (const { row, value } of said.rows) seen.push({ ...where, row, value, problem: null })
  }
  return { seen, answered, columns, machines: new Set(found.map(({ host }) => host?.host_id ?? LOCAL_HOST)) }
}
