import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { sendJson, streamAnswer, wholeAnswer } from './scripted-answer.ts'

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

export interface ScriptedModel {
  /** Base address as an administrator would set it, ending in `/v1`. */
  readonly url: string
  /** All chat requests so far, oldest first. */
  readonly requests: readonly ScriptedRequest[]
  /** How many requests are being answered now. */
  readonly open: number
  /** Resolves with the n-th chat request (from 0), now or when it comes. */
  request(index: number): Promise<ScriptedRequest>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A model endpoint that does what a script says: a real HTTP server on a free port (or `port`) of 127.0.0.1, speaking the
 * OpenAI-compatible wire: `POST /v1/chat/completions` (stream and whole) and `GET /v1/models`.
 * A list that is too short answers 500, so a forgotten step is seen.
 */
export async function startScriptedModel(script: Script, options: { port?: number } = {}): Promise<ScriptedModel> {
  const requests: Recorded[] = []
  const waiting = new Map<number, (request: ScriptedRequest) => void>()
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: `scripted model: ${String(error)}` } })
      else response.destroy()
    })
  })

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url?.split('?')[0]
    if (incoming.method === 'GET' && path === '/v1/models') {
      return sendJson(response, 200, {
        object: 'list',
        data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'test' }],
      })
    }
    if (incoming.method !== 'POST' || path !== '/v1/chat/completions') {
      return sendJson(response, 404, { error: { message: `nothing at ${incoming.method} ${path}` } })
    }
    const body: unknown = JSON.parse(await text(incoming))
    const request = new Recorded(body as WireBody, incoming.headers)
    response.once('close', () => request.end(response.writableFinished))
    const index = requests.push(request) - 1
    waiting.get(index)?.(request)
    const steps = typeof script === 'function' ? await script(request, index) : script[index]
    if (steps === undefined)
      return sendJson(response, 500, { error: { message: `the script has no answer number ${index + 1}` } })
    await (request.body.stream === true
      ? streamAnswer(response, request, steps)
      : wholeAnswer(response, request, steps))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get open() {
      return requests.filter((request) => request.outcome === 'open').length
    },
    request: (index) => {
      const known = requests[index]
      if (known !== undefined) return Promise.resolve(known)
      const { promise, resolve } = Promise.withResolvers<ScriptedRequest>()
      waiting.set(index, resolve)
      return promise
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface WireBody {
  messages: ScriptedMessage[]
  tools?: { function: ScriptedRequest['tools'][number] }[]
  stream?: boolean
  [field: string]: unknown
}

class Recorded implements ScriptedRequest {
  readonly body: WireBody
  readonly headers: IncomingMessage['headers']
  readonly closed: Promise<void>
  outcome: ScriptedRequest['outcome'] = 'open'
  readonly #close: () => void

  constructor(body: WireBody, headers: IncomingMessage['headers']) {
    this.body = body
    this.headers = headers
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#close = resolve
  }

  get messages() {
    return this.body.messages
  }

  get tools() {
    return (this.body.tools ?? []).map((tool) => tool.function)
  }

  end(whole: boolean): void {
    this.outcome = whole ? 'answered' : 'aborted'
    this.#close()
  }
}

// `node test/scripted-model.ts --port 11500`: an engine for trying Reeve out, without a model.
if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '11500' } } })
  const { demoScript } = await import('./scripted-demo.ts')
  const model = await startScriptedModel(demoScript, { port: Number(values.port) })
  console.log(`scripted model: REEVE_AI_BASE_URL=${model.url} REEVE_AI_MODEL=scripted`)
}
