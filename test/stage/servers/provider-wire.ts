import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { AiProvider } from '../../../server/ai/engine-setting.ts'
import type { Engine, PromptMessage, StepChunk } from '../../../server/chat/ports/model.ts'
import { callsOf, config, engineFor, textOf, user } from '../ai-steps.ts'

export type Events = { type?: string; [field: string]: unknown }[]
export type Answer = Events | { status: number; body: unknown; headers?: Record<string, string> }
export interface Wire extends AsyncDisposable {
  engine: Engine
  requests: { path: string; headers: IncomingHttpHeaders; body: unknown }[]
}

/** A server that speaks just enough of a provider's wire: events in order, or an error document. */
export async function wire(provider: AiProvider, ...answers: Answer[]): Promise<Wire> {
  const requests: Wire['requests'] = []
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      requests.push({ path: incoming.url!, headers: incoming.headers, body: JSON.parse(body) })
      const answer = answers[requests.length - 1]!
      if (!Array.isArray(answer)) {
        response
          .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
          .end(JSON.stringify(answer.body))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of answer)
        response.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    requests,
    engine: engineFor(config({ provider, base_url, model: MODELS[provider] })),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function dig(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value)
}

const MODELS: Record<AiProvider, string> = {
  'openai-compatible': 'x',
  openai: 'gpt-5',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
}

/** The next request of the same turn, made of what a step gave, as a run stores it: through JSON. */
export function continued(chunks: StepChunk[]): PromptMessage[] {
  const stored: StepChunk[] = JSON.parse(JSON.stringify(chunks))
  const thought = stored.map((chunk) => (chunk.type === 'reasoning' ? chunk.text : '')).join('')
  const calls = callsOf(stored)
  return [
    user('Hello'),
    {
      role: 'assistant',
      text: textOf(stored),
      reasoning: stored.flatMap((chunk) =>
        chunk.type === 'reasoning_end' ? [{ text: thought, provider: chunk.provider }] : [],
      ),
      calls,
    },
    {
      role: 'tool',
      results: calls.map(({ call_id, name }) => ({ call_id, name, output: 'init', failed: false, tables: 0 })),
    },
  ]
}

/** What every provider must give for the same answer: a thought, a sentence, one call. */
export function expectAnswer(chunks: StepChunk[], call_id: string | null): void {
  expect(chunks.map((chunk) => chunk.type).filter((type, index, all) => type !== all[index - 1])).toEqual([
    'reasoning',
    'reasoning_end',
    'text',
    'call',
    'finish',
  ])
  expect(textOf(chunks)).toBe('Let me look.')
  expect(callsOf(chunks)).toMatchObject([
    { ...(call_id ? { call_id } : {}), name: 'system.processes', input: { limit: 5 }, malformed: null },
  ])
  expect(chunks.at(-1)).toEqual({ type: 'finish', reason: 'calls', input_tokens: 12, output_tokens: 7 })
}
