import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { EngineFailure } from '../contract/engine-failures.ts'
import { makeAuthority } from '../server/certificates/make-certificate.ts'
import { config, engineFor, failureOf } from './stage/ai-steps.ts'

type Shape = (status: number, message: string) => object
/** How each provider words an error document, and a piece of text. */
const PROVIDERS = {
  'openai-compatible': [
    (_status, message) => ({ error: { message } }),
    { choices: [{ delta: { role: 'assistant', content: 'Hel' }, index: 0 }] },
  ],
  openai: [
    (_status, message) => ({ error: { message, type: 'error' } }),
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
  ],
  anthropic: [
    (_status, message) => ({ type: 'error', error: { type: 'error', message } }),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hel' } },
  ],
  google: [
    (code, message) => ({ error: { code, status: 'ERROR', message } }),
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] } }] },
  ],
} as const satisfies Record<string, readonly [Shape, object]>
const providers = Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[]

async function listening(answer: RequestListener, tls = false) {
  const now = Date.now()
  const server = tls
    ? createTlsServer(await makeAuthority('Nobody', { from: now - 60_000, to: now + 3_600_000 }), answer)
    : createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    base_url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe.each(providers)('%s', (provider) => {
  const [shape, piece] = PROVIDERS[provider]

  it.each<[number, Record<string, string>, EngineFailure]>([
    [401, {}, 'engine_key'],
    [402, {}, 'engine_quota'],
    [403, {}, 'engine_key'],
    [404, {}, 'engine_model'],
    [408, {}, 'engine_timeout'],
    [413, {}, 'engine_context'],
    [422, {}, 'engine_refused'],
    [429, {}, 'engine_rate'],
    [429, { 'retry-after': '20' }, 'engine_rate'],
    [500, {}, 'engine_error'],
  ])('status %i %j', async (status, headers, code) => {
    await using at = await listening((_, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(shape(status, 'as it words it'))),
    )
    const { error } = await failureOf(engineFor(config({ provider, base_url: at.base_url })))
    expect(error).toMatchObject({
      code,
      said: 'as it words it',
      retryAfter: headers['retry-after'] === undefined ? null : 20,
    })
  })

  it('a connection cut in the middle, and one cut before an answer', async () => {
    let begun = false
    await using at = await listening((_, response) => {
      if (begun) return response.destroy()
      begun = true
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return response.write(`data: ${JSON.stringify(piece)}\n\n`, () => response.destroy())
    })
    const engine = engineFor(config({ provider, base_url: at.base_url }))
    expect((await failureOf(engine)).error.code).toBe('engine_cut')
    expect((await failureOf(engine)).error.code).toBe('engine_cut')
  })

  it('silence', async () => {
    await using at = await listening(() => undefined)
    const { error } = await failureOf(engineFor(config({ provider, base_url: at.base_url, timeout_ms: 20 })))
    expect(error).toMatchObject({ code: 'engine_timeout', waited: 0.02 })
  })

  it('garbage instead of events', async () => {
    await using at = await listening((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {not json\n\n'),
    )
    const { error } = await failureOf(engineFor(config({ provider, base_url: at.base_url })))
    expect(error.code).toBe('engine_answer')
  })

  it('nobody listens, and a certificate that nobody vouches for', async () => {
    const gone = await listening(() => undefined)
    await gone[Symbol.asyncDispose]()
    expect((await failureOf(engineFor(config({ provider, base_url: gone.base_url })))).error.code).toBe(
      'engine_network',
    )
    await using at = await listening((_, response) => response.end('{}'), true)
    const { error } = await failureOf(engineFor(config({ provider, base_url: at.base_url })))
    expect(error.code).toBe('engine_network')
    expect(String(error.said)).toMatch(/cannot be reached: (?!ECONN)[A-Z_]+/)
  })
})
