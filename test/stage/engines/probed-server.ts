import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { AiProvider } from '../../../server/ai/engine-setting.ts'
import { readNumber } from './read-number.ts'
import { WIRES } from './wires.ts'

/** What a server answers by path; a chat is answered by what it holds. */
export interface ProbedServer {
  readonly paths?: Record<string, object>
  readonly tools?: 'two' | 'one' | 'none' | 'refused'
  readonly pictures?: 'seen' | 'guessed' | 'refused'
  readonly wire?: AiProvider
  /** What happens before the first chat is answered. */
  readonly meanwhile?: () => Promise<unknown>
  /** How it writes the number that it sees. */
  readonly writing?: (number: string) => string
}

/** A server whose model is probed. */
export async function serveProbe({
  paths = {},
  tools = 'none',
  pictures = 'guessed',
  wire = 'openai-compatible',
  meanwhile,
  writing = (number) => `It says ${number}.`,
}: ProbedServer) {
  const words = WIRES[wire]
  let chats = 0
  const contexts: number[] = []
  const server = createServer((request, response) => {
    void text(request).then(async (sent) => {
      const path = new URL(request.url ?? '/', 'http://x').pathname
      const isOllama = path === '/api/chat'
      const isChat = isOllama || (request.method === 'POST' && !path.startsWith('/api/'))
      if (!isChat) {
        const found = paths[path]
        response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
        return void response.end(JSON.stringify(found ?? { error: 'nothing here' }))
      }
      chats += 1
      if (chats === 1) await meanwhile?.()
      if (isOllama) contexts.push((JSON.parse(sent) as { options: { num_ctx: number } }).options.num_ctx)
      const picture = /iVBORw0KGgo[\w+/]+=*/.exec(sent)?.[0]
      const asksPicture = picture !== undefined
      if (asksPicture ? pictures === 'refused' : tools === 'refused') {
        const message = asksPicture ? 'image input is not supported' : 'probed does not support tools'
        response.writeHead(400, { 'content-type': 'application/json' })
        return void response.end(JSON.stringify({ error: { message } }))
      }
      const call = (value: string) => ({ name: 'test__report', args: JSON.stringify({ value }) })
      if (isOllama) return void response.end(`${JSON.stringify({ message: { content: 'Well' }, done: true })}\n`)
      const { body } = asksPicture
        ? words.text(pictures === 'seen' ? writing(readNumber(Buffer.from(picture, 'base64'))) : 'It is 1470.')
        : tools === 'none'
          ? words.text('Well …')
          : words.calls(...['ready', 'steady'].slice(0, tools === 'two' ? 2 : 1).map(call))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Those that Ollama was asked to load it with. */
    contexts,
    get chats() {
      return chats
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
