import type { IncomingMessage } from 'node:http'

/**
 * One thing that the scripted model does in an answer, in order. An answer ends by itself with a finish, usage and
 * `[DONE]`, unless it ends with `hang`, `cut`, `end` or is a `status`.
 */
export type ScriptedStep =
  /** Text of the answer, as one delta, or one per word. */
  | { text: string; each?: 'word' }
  /** Thinking, as `reasoning_content`. */
  | { reasoning: string }
  /** Parallel calls. `name` is `module.tool` (sent as the engine named it) or anything else, unchanged. */
  | { calls: ScriptedCall[] }
  /** Waits until the test opens the gate; `gate.reached` tells that all before it is on the wire. */
  | { wait: Gate }
  /** Waits that many milliseconds: for demonstrations, not for tests. */
  | { pause: number }
  | { usage: { prompt_tokens: number; completion_tokens: number } }
  /** Another finish reason than the one that fits: `length`, `content_filter` … */
  | { finish: string }
  /** An HTTP error instead of an answer. `body` is sent as JSON unless it is a string. Must be the first step (after waits). */
  | { status: number; body: unknown; headers?: Record<string, string> }
  /** An error document inside the stream, after status 200. */
  | { error: unknown }
  /** Bytes as they are: garbage, comments, half a line. */
  | { raw: string }
  /** Keeps the connection open and says nothing more. As the first step not even headers are sent. */
  | { hang: true }
  /** Cuts the connection. */
  | { cut: true }
  /** Ends the body in good order, but without finish and `[DONE]`. */
  | { end: true }

export interface ScriptedCall {
  name: string
  /** An object, or the raw text for malformed arguments. */
  arguments: Record<string, unknown> | string
  id?: string
  /** Over how many deltas the arguments are spread; default 2. */
  pieces?: number
}

/** Answers by number of the request, or a function that decides by what the request says. */
export type Script =
  | readonly ScriptedStep[][]
  | ((request: ScriptedRequest, index: number) => ScriptedStep[] | Promise<ScriptedStep[]>)

export interface ScriptedMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null | { type: string; text?: string; image_url?: { url: string } }[]
  reasoning_content?: string
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

export interface ScriptedRequest {
  readonly messages: readonly ScriptedMessage[]
  readonly tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[]
  readonly body: Record<string, unknown>
  readonly headers: IncomingMessage['headers']
  /** `open` while it is being answered, `aborted` when the client went away before the end (or the script cut it). */
  readonly outcome: 'open' | 'answered' | 'aborted'
  /** Resolves when `outcome` is no longer `open`. */
  readonly closed: Promise<void>
}

export interface Gate {
  /** Lets the answer go on; may be called before it gets there. */
  open(): void
  readonly opened: Promise<void>
  /** Resolves when an answer arrived at the gate. */
  readonly reached: Promise<void>
  arrive(): void
}

/** A gate makes a test decide when an answer goes on, instead of sleeping. */
export function gate(): Gate {
  const opened = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  return { open: opened.resolve, opened: opened.promise, reached: reached.promise, arrive: reached.resolve }
}
