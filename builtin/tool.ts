import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { CallAbout, ToolChange, ToolPreview, ToolVerified } from '../server/chat/ports/tools.ts'
import { LOCAL_MACHINE } from '../server/modules/machines.ts'
import type { ChartSuggestion } from '../contract/chart-suggestion.ts'

/** Types of a column as Reeve shows them: `percent` is 0–100, `duration` milliseconds, `datetime` ISO 8601 in UTC. */
export type ColumnType =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'bytes'
  | 'percent'
  | 'duration'

export interface ReportTable {
  readonly title: string
  readonly columns: readonly { key: string; label: string; type: ColumnType }[]
  readonly rows: readonly Record<string, string | number | boolean | null>[]
  /** Total number of rows, when `rows` contains only the first. */
  readonly total_rows?: number
  /** The best chart of the rows, which the person sees first. */
  readonly chart?: ChartSuggestion
}

/** What a built-in tool found out or did. `text` summarises it; tables contain the rest, which it need not repeat. */
export interface Report {
  readonly text: string
  readonly tables?: readonly ReportTable[]
  readonly data?: Record<string, unknown>
  /** They become files of the run that the person can open. `name` is a label, never a path. */
  readonly files?: readonly { name: string; media_type: string; data: Uint8Array }[]
  readonly failed?: boolean
  /** Of the preview of another tool: what a call would change. */
  readonly preview?: ToolPreview
  /** Of a verification. */
  readonly verified?: ToolVerified
  /** What the call has changed. */
  readonly changes?: readonly ToolChange[]
}

/** The context of one call: whom it is for and how it is stopped. */
export interface ToolContext {
  readonly signal: AbortSignal
  /** The person whose run this is; empty when an MCP client other than Reeve calls. */
  readonly user_id: string
  readonly run_id: string
  readonly conversation_id: string
  readonly tool_call_id: string
  /** The machine that the call is about; `local` unless it names one. Only tools that work on machines look at it. */
  readonly host_id: string
  /** The state that the approved preview of this call saw, and that it must still find; undefined when none was shown. */
  readonly state: string | undefined
  /** For a verification: what the call changed, with the SHA-256 of what it left. */
  readonly changes: readonly { readonly target: string; readonly after_hash: string | null }[]
  /** For a tool that takes a change back, and its preview: what it was. */
  readonly change: CallAbout['change'] | undefined
  progress(message: string): void
}

export interface BuiltinTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: 'read' | 'write' | 'destructive'
  readonly input: Input
  /** Whether it reaches other machines. */
  readonly open_world?: boolean
  /**
   * Template of the sentence on the approval card: `{arg}`, and `[…]` for a part that is omitted without its argument.
   */
  readonly summary?: string
  /** The argument that says what a call is about, where its name does not. */
  readonly main_argument?: string
  readonly deadline_ms?: number
  /** Tools of the same module: what a call would change, whether it took, and what takes a change back. */
  readonly preview?: string
  readonly verify?: string
  readonly undo?: string
  /** A call that nothing can be shown of is refused instead of asking for approval. */
  readonly preview_required?: true
  /** What it does is an operation of the machine under the call's id, which tells later how it ended. */
  readonly operation?: true
  /** It opens the paths it is given as they really are, and refuses links: a rule may allow what is under a folder. */
  readonly real_paths?: boolean
  /** Rejects with a sentence for the person. When `signal` aborts, it stops what it started and then rejects. */
  run(input: z.output<Input>, context: ToolContext): Promise<Report>
}

/** Has the compiler check that a tool's `run` takes what its `input` yields. */
export function tool<Input extends z.ZodObject>(definition: BuiltinTool<Input>): BuiltinTool<Input> {
  return definition
}

/**
 * Declares that this server confirms the end of every cancelled call with `notifications/dev.reeve/settled {call,
 * result?, message?}`.
 */
export const SETTLED_CAPABILITY = { 'dev.reeve/settled': {} }

/**
 * Registers a tool with an MCP server. A cancelled request gets no answer in MCP, hence the notification when it has
 * really ended.
 */
export function registerTool<Input extends z.ZodObject>(server: McpServer, definition: BuiltinTool<Input>): void {
  const { name, title, description, effect, input: inputSchema, open_world = false } = definition
  const { summary, main_argument, deadline_ms, real_paths, preview, verify, undo, preview_required } = definition
  const { operation } = definition
  const annotations = {
    title,
    readOnlyHint: effect === 'read',
    destructiveHint: effect === 'destructive',
    openWorldHint: open_world,
  }
  const config = {
    title,
    description,
    inputSchema: inputSchema as z.ZodObject,
    annotations,
    _meta: {
      'dev.reeve': {
        summary,
        main_argument,
        deadline_ms,
        real_paths,
        preview,
        verify,
        undo,
        preview_required,
        operation,
      },
    },
  }
  server.registerTool(name, config, async (input, { mcpReq }) => {
    const { signal, notify, _meta: meta } = mcpReq
    const call = meta?.['dev.reeve/call']
    const progressToken = meta?.progressToken
    let settlement: Record<string, unknown> | null = null
    let steps = 0
    const confirm = () => {
      if (settlement === null || !signal.aborted || typeof call !== 'string') return
      // Rejects only when the connection is gone, and then the notification doesn't matter.
      notify({ method: 'notifications/dev.reeve/settled', params: { call, ...settlement } }).catch(() => undefined)
    }
    signal.addEventListener('abort', confirm)
    const progress = (message: string) => {
      if (progressToken === undefined || signal.aborted) return
      notify({ method: 'notifications/progress', params: { progressToken, progress: ++steps, message } }).catch(
        () => undefined,
      )
    }
    try {
      const text = (key: string) => (typeof meta?.[key] === 'string' ? meta[key] : '')
      const context = {
        signal,
        user_id: text('dev.reeve/user'),
        run_id: text('dev.reeve/run'),
        conversation_id: text('dev.reeve/conversation'),
        tool_call_id: text('dev.reeve/tool_call'),
        host_id: hostOf(meta?.['dev.reeve']),
        state: typeof meta?.['dev.reeve/state'] === 'string' ? meta['dev.reeve/state'] : undefined,
        changes: (meta?.['dev.reeve/changes'] ?? []) as ToolContext['changes'],
        change: meta?.['dev.reeve/change'] as ToolContext['change'],
        progress,
      }
      const result = callResult(await definition.run(input as z.output<Input>, context))
      settlement = { result }
      return result
    } catch (error) {
      // What a timer or stream says about being aborted is of no use to anyone.
      const stopped = error instanceof Error && error.name === 'AbortError'
      const message = stopped ? '' : error instanceof Error ? error.message : String(error)
      const unknown = error instanceof UnknownOutcome
      const result: CallToolResult = {
        isError: true,
        content: [{ type: 'text', text: message }],
        ...(unknown && { _meta: { [OUTCOME_KEY]: 'unknown' } }),
      }
      // What goes on although it was told to stop is not cancelled.
      settlement = unknown ? { result } : { message }
      return result
    } finally {
      confirm()
    }
  })
}

/** In `_meta` of a failed result: `unknown`, it may have had an effect. */
const OUTCOME_KEY = 'dev.reeve/outcome'

/** Thrown by a tool that may have had an effect, which nobody can tell: a connection broke in the middle. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

const HOST_ID = /^[\w-]{1,64}$/

/** One that cannot be understood must not become this machine. */
function hostOf(ours: unknown): string {
  const given = ours !== null && typeof ours === 'object' && 'host_id' in ours ? ours.host_id : LOCAL_MACHINE
  if (typeof given === 'string' && HOST_ID.test(given)) return given
  throw new Error('The call names its machine by something that is no id.')
}

function callResult(report: Report): CallToolResult {
  const { text, tables = [], data, files = [], failed = false, preview, verified, changes } = report
  const said = { ...(preview && { preview }), ...(verified && { verified }), ...(changes && { changes }) }
  const more = Object.keys(said).length > 0
  const structured =
    tables.length > 0 ? { tables, ...said } : data === undefined && !more ? undefined : { ...data, ...said }
  const resources = files.map(({ name, media_type, data: bytes }) => ({
    type: 'resource' as const,
    resource: {
      uri: `file:///${encodeURIComponent(name)}`,
      mimeType: media_type,
      blob: Buffer.from(bytes).toString('base64'),
    },
  }))
  return {
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...resources],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(failed ? { isError: true } : {}),
  }
}
