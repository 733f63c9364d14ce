import { afterEach, expect, test, vi } from 'vitest'
import { call, setCsrfToken } from './api.ts'

afterEach(() => vi.unstubAllGlobals())

/** A server whose answer to every request is this one, and which knows ETags. */
function serve(answer: { etag: string | null; body: unknown }) {
  const asked: (string | null)[] = []
  vi.stubGlobal('fetch', async (_address: string, init: RequestInit) => {
    const given = new Headers(init.headers).get('If-None-Match')
    asked.push(given)
    const headers = new Headers(answer.etag === null ? {} : { ETag: answer.etag })
    if (given !== null && given === answer.etag) return new Response(null, { status: 304, headers })
    return new Response(JSON.stringify(answer.body), { status: 200, headers })
  })
  return asked
}

test('an answer that has not changed is not sent again', async () => {
  const answer = { etag: 'W/"1"' as string | null, body: { items: [1] } }
  const asked = serve(answer)
  const first = await call('GET /api/chat/runs')
  expect(await call('GET /api/chat/runs')).toBe(first)
  answer.etag = 'W/"2"'
  answer.body = { items: [2] }
  expect(await call('GET /api/chat/runs')).toEqual({ items: [2] })
  await call('GET /api/chat/conversations')
  expect(asked).toEqual([null, 'W/"1"', 'W/"1"', null])
})

test('nothing is kept of an answer without an ETag, nor for the next user', async () => {
  const plain = serve({ etag: null, body: { items: [] } })
  setCsrfToken('one')
  await call('GET /api/chat/runs')
  await call('GET /api/chat/runs')
  expect(plain).toEqual([null, null])
  const tagged = serve({ etag: 'W/"3"', body: { items: [] } })
  await call('GET /api/chat/runs')
  setCsrfToken('two')
  await call('GET /api/chat/runs')
  setCsrfToken('two')
  await call('GET /api/chat/runs')
  expect(tagged).toEqual([null, null, 'W/"3"'])
})

test('only so many are kept, the newest', async () => {
  const asked = serve({ etag: 'W/"4"', body: {} })
  setCsrfToken('three')
  const read = (i: number) => call('GET /api/chat/runs/{run_id}', { params: { run_id: `run_${i}` } })
  for (let i = 0; i < 31; i++) await read(i)
  asked.length = 0
  await read(0)
  await read(30)
  expect(asked).toEqual([null, 'W/"4"'])
})
