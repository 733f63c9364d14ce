import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import type { z } from 'zod'
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
}

/** The context of one call: whom it is for and how it is stopped. */
export interface ToolContext {
  readonly signal: AbortSignal
  /** The person whose run this is; empty when an MCP client other than Reeve calls. */
  readonly user_id: string
  readonly run_id: string
  readonly conversation_id: string
  readonly tool_call_id: string
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
  readonly deadline_ms?: number
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
  const {
    name,
    title,
    description,
    effect,
    input: inputSchema,
    summary,
    deadline_ms,
    real_paths,
    open_world = false,
  } = definition
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
    _meta: { 'dev.reeve': { summary, deadline_ms, real_paths } },
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
        progress,
      }
      const result = callResult(await definition.run(input as z.output<Input>, context))
      settlement = { result }
      return result
    } catch (error) {
      // What a timer or stream says about being aborted is of no use to anyone.
      const stopped = error instanceof Error && error.name === 'AbortError'
      const message = stopped ? '' : error instanceof Error ? error.message : String(error)
      settlement = { message }
      return { isError: true, content: [{ type: 'text', text: message }] }
    } finally {
      confirm()
    }
  })
}

function callResult(report: Report): CallToolResult {
  const { text, tables = [], data, files = [], failed = false } = report
  const structured = tables.length > 0 ? { tables } : data
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
