import type { ServerResponse } from 'node:http'
import type { ScriptedCall, ScriptedRequest, ScriptedStep } from './scripted-step.ts'

/** Plays a scripted answer as a stream of server-sent events. */
export async function streamAnswer(
  response: ServerResponse,
  request: ScriptedRequest,
  steps: readonly ScriptedStep[],
): Promise<void> {
  let usage: unknown = { prompt_tokens: 0, completion_tokens: 0 }
  let finish: string | null = null
  let calls = 0
  const begin = () => {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  }
  const write = (data: string) => {
    begin()
    response.write(data)
  }
  const chunk = (choices: unknown[], more: object = {}) =>
    write(
      `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices, ...more })}\n\n`,
    )
  const delta = (fields: object) => chunk([{ index: 0, delta: fields, finish_reason: null }])

  for (const step of steps) {
    if (request.outcome !== 'open') return
    if ('wait' in step) {
      step.wait.arrive()
      await Promise.race([step.wait.opened, request.closed])
    } else if ('pause' in step) await new Promise((resolve) => setTimeout(resolve, step.pause))
    else if ('text' in step) for (const text of pieces(step)) delta({ role: 'assistant', content: text })
    else if ('reasoning' in step) delta({ role: 'assistant', reasoning_content: step.reasoning })
    else if ('calls' in step) {
      for (const fields of callDeltas(step.calls, request, calls)) delta({ role: 'assistant', tool_calls: fields })
      calls += step.calls.length
    } else if ('usage' in step) usage = step.usage
    else if ('finish' in step) finish = step.finish
    else if ('status' in step) return sendError(response, step)
    else if ('error' in step) write(`data: ${JSON.stringify({ error: step.error })}\n\n`)
    else if ('raw' in step) write(step.raw)
    else if ('hang' in step) return await request.closed
    else if ('cut' in step) {
      // What was written before goes out first: a destroyed socket drops what it still holds.
      begin()
      return void response.write(': cut\n\n', () => response.destroy())
    } else {
      begin()
      return void response.end()
    }
  }
  chunk([{ index: 0, delta: {}, finish_reason: finish ?? (calls > 0 ? 'tool_calls' : 'stop') }])
  chunk([], { usage })
  response.end('data: [DONE]\n\n')
}

/** The same answer in one piece, for a client that does not stream. */
export async function wholeAnswer(
  response: ServerResponse,
  request: ScriptedRequest,
  steps: readonly ScriptedStep[],
): Promise<void> {
  let content = ''
  let reasoning = ''
  let usage: unknown = { prompt_tokens: 0, completion_tokens: 0 }
  let finish: string | null = null
  const calls: object[] = []
  for (const step of steps) {
    if (request.outcome !== 'open') return
    if ('wait' in step) {
      step.wait.arrive()
      await Promise.race([step.wait.opened, request.closed])
    } else if ('pause' in step) await new Promise((resolve) => setTimeout(resolve, step.pause))
    else if ('text' in step) content += step.text
    else if ('reasoning' in step) reasoning += step.reasoning
    else if ('calls' in step) for (const call of step.calls) calls.push(wireCall(call, request, calls.length))
    else if ('usage' in step) usage = step.usage
    else if ('finish' in step) finish = step.finish
    else if ('status' in step) return sendError(response, step)
    else if ('error' in step) return sendJson(response, 200, { error: step.error })
    else if ('raw' in step) return void response.writeHead(200, { 'content-type': 'application/json' }).end(step.raw)
    else if ('hang' in step) return await request.closed
    else return void response.destroy()
  }
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  const choices = [{ index: 0, message, finish_reason: finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') }]
  sendJson(response, 200, { id: 'scripted', object: 'chat.completion', created: 0, model: 'scripted', choices, usage })
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function sendError(response: ServerResponse, step: Extract<ScriptedStep, { status: number }>): void {
  if (typeof step.body !== 'string') return sendJson(response, step.status, step.body, step.headers)
  response.writeHead(step.status, { 'content-type': 'text/plain', ...step.headers }).end(step.body)
}

function pieces(step: Extract<ScriptedStep, { text: string }>): string[] {
  return step.each === 'word' ? (step.text.match(/\s*\S+\s*$|\s*\S+/g) ?? [step.text]) : [step.text]
}

/** As real servers do it: each call's name first, then the arguments of all calls in turns. */
function callDeltas(calls: readonly ScriptedCall[], request: ScriptedRequest, first: number): object[][] {
  const started = calls.map((call, at) => {
    const { id, type, function: fn } = wireCall(call, request, first + at)
    return {
      head: [{ index: first + at, id, type, function: { name: fn.name, arguments: '' } }],
      text: fn.arguments,
      call,
      index: first + at,
    }
  })
  const rounds = Math.max(...calls.map((call) => call.pieces ?? 2))
  const deltas = started.map(({ head }) => head as object[])
  for (let round = 0; round < rounds; round++) {
    for (const { text, call, index } of started) {
      const size = Math.ceil(text.length / (call.pieces ?? 2))
      const piece = text.slice(round * size, (round + 1) * size)
      if (piece !== '') deltas.push([{ index, function: { arguments: piece } }])
    }
  }
  return deltas
}

function wireCall(call: ScriptedCall, request: ScriptedRequest, index: number) {
  const sent = call.name.replaceAll('.', '__')
  const name = request.tools.some((tool) => tool.name === sent) ? sent : call.name
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  return {
    id: call.id ?? `call_${request.messages.length}_${index}`,
    type: 'function',
    function: { name, arguments: text },
  }
}
