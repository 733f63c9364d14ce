import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import type { ToolAnswer, ToolQuestion } from '../server/chat/ports/tools.ts'
import { closeHosts, run } from './stage/modules/hostile-module.ts'
import { remoteSpec, serve } from './stage/servers/remote-server.ts'
import { toolRequest } from './stage/tool-request.ts'

afterEach(closeHosts)

const cached = { ttlMs: 0, cacheScope: 'private' }
const complete = (more: object = {}) => ({ resultType: 'complete', ...more })
const about = (status: string, more: object = {}) => ({
  taskId: 't1',
  status,
  ttlMs: null,
  createdAt: '',
  lastUpdatedAt: '',
  pollIntervalMs: 1,
  ...more,
})
const ended = (said: string) => complete(about('completed', { result: { content: [{ type: 'text', text: said }] } }))

/** What goes wrong with a request: its connection ends, its stream ends without an answer, it is refused with this status. */
type Trouble = 'cut' | 'ended' | number
interface Heard {
  readonly method: string
  readonly name: unknown
  readonly params: Record<string, unknown>
}

/** Calls a tool of a server of the revision of 2026 at an address; each request is answered with the first that is left. */
async function callFar(
  answers: Record<string, (object | Trouble)[]>,
  ask?: (question: ToolQuestion) => Promise<ToolAnswer>,
) {
  const heard: Heard[] = []
  const left: Record<string, (object | Trouble)[]> = {
    'server/discover': [
      complete({
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
        ...cached,
      }),
    ],
    'tools/list': [complete({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }], ...cached })],
    ...answers,
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id, method, params } = JSON.parse(await text(request)) as { id: number } & Omit<Heard, 'name'>
    heard.push({ method, name: request.headers['mcp-name'], params })
    const given = left[method]?.shift()
    if (given === 'cut') return void request.socket.destroy()
    if (given === 'ended') return void response.setHeader('content-type', 'text/event-stream').end(': nothing yet\n\n')
    if (typeof given === 'number') return void response.writeHead(given).end()
    response.setHeader('content-type', 'application/json')
    const error = { code: -32601, message: 'Method not found' }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(given === undefined ? { error } : { result: given }) }))
  }
  await using server = await serve((request, response) => void answer(request, response))
  const { host } = await run([remoteSpec(server.url)])
  await host.started('far')
  heard.length = 0
  const request = toolRequest('far', 'hello', {}, ask === undefined ? {} : { ask })
  return { result: await host.call(request, new AbortController().signal, () => undefined), heard }
}

test('a request about a task that gets no answer is made again, and names the task for whoever passes it on', async () => {
  const { result, heard } = await callFar({
    'tools/call': [{ resultType: 'task', ...about('working') }],
    'tasks/get': ['cut', 'ended', 503, ended('at last')],
  })
  expect(result).toMatchObject({ status: 'done', text: 'at last' })
  expect(heard.map(({ method, name }) => [method, name])).toEqual([
    ['tools/call', 'hello'],
    ...Array<unknown>(4).fill(['tasks/get', 't1']),
  ])
})

test('what a person has answered is sent until it arrives, and is asked once', async () => {
  const question = {
    method: 'elicitation/create',
    params: { message: 'Which?', requestedSchema: { type: 'object', properties: { color: { type: 'string' } } } },
  }
  const asks = about('input_required', { inputRequests: { q: question } })
  const asked: ToolQuestion[] = []
  const { result, heard } = await callFar(
    {
      'tools/call': [{ resultType: 'task', ...asks }],
      'tasks/update': [503, 'ended', complete()],
      // It says what it asks until it has read the answer.
      'tasks/get': [complete(asks), ended('blue it is')],
    },
    async (each) => {
      asked.push(each)
      return { action: 'accept', content: { color: 'blue' } }
    },
  )
  expect(result).toMatchObject({ status: 'done', text: 'blue it is' })
  expect(asked).toHaveLength(1)
  const updates = heard.filter(({ method }) => method === 'tasks/update')
  expect(updates.map(({ params }) => params['inputResponses'])).toEqual(
    Array<unknown>(3).fill({ q: { action: 'accept', content: { color: 'blue' } } }),
  )
})
