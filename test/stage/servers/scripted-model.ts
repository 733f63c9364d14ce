import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { sendJson, streamAnswer, wholeAnswer } from './scripted-answer.ts'
import type { Script, ScriptedMessage, ScriptedRequest } from './scripted-step.ts'

export * from './scripted-step.ts'

export interface ScriptedModel {
  /** Base address as an administrator would set it, ending in `/v1`. */
  readonly url: string
  /** All chat requests so far, oldest first. */
  readonly requests: readonly ScriptedRequest[]
  /** How many requests are being answered now. */
  readonly open: number
  /** How many requests were larger than its context. */
  readonly refused: number
  /** Resolves with the n-th chat request (from 0), now or when it comes. */
  request(index: number): Promise<ScriptedRequest>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A model endpoint that does what a script says: a real HTTP server on a free port (or `port`) of 127.0.0.1, speaking the
 * OpenAI-compatible wire: `POST /v1/chat/completions` (stream and whole) and `GET /v1/models`.
 * A list that is too short answers 500, so a forgotten step is seen. `context`: tokens above which a request is refused, as
 * engines do that have no room for more.
 */
export async function startScriptedModel(
  script: Script,
  options: { port?: number; context?: number } = {},
): Promise<ScriptedModel> {
  const requests: Recorded[] = []
  const waiting = new Map<number, (request: ScriptedRequest) => void>()
  let refused = 0
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
    const size = requestTokens(request)
    if (options.context !== undefined && size > options.context) {
      refused += 1
      return sendJson(response, 400, {
        error: {
          message: `This model's maximum context length is ${options.context} tokens, not ${size}.`,
          code: 'context_length_exceeded',
        },
      })
    }
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
    get refused() {
      return refused
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

/**
 * Tokens of a request, about as tokenizers of today make them: words of up to six letters, numbers of up to three digits,
 * up to three marks together. Counted from what came over the wire, and by no ratio of the service.
 */
export function requestTokens({ body }: Pick<ScriptedRequest, 'body'>): number {
  const read = JSON.stringify([body['messages'], body['tools'] ?? []])
  return read.match(/[\p{L}\p{M}]{1,6}|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}]{1,3}/gu)?.length ?? 0
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

// `node test/stage/servers/scripted-model.ts --port 11500`: an engine for trying Reeve out, without a model.
if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '11500' } } })
  const { demoScript } = await import('./scripted-demo.ts')
  const model = await startScriptedModel(demoScript, { port: Number(values.port) })
  console.log(`scripted model: REEVE_AI_BASE_URL=${model.url} REEVE_AI_MODEL=scripted`)
}
