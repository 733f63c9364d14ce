import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { Caller, HandlerInput } from '../contract/route.ts'
import type { files as contract } from '../contract/files.ts'
import type { OpenFilesOptions } from '../server/files/open-files.ts'
import { AppError } from '../server/kernel/app-error.ts'
import { ANNA, collect, startFiles } from './stage/documents/files-fixture.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

type Input = HandlerInput<typeof contract.upload>

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

describe.each(databases)('uploads on $name', (testDatabase) => {
  /** The handlers behind a real socket: aborts and chunks as they come over the network. */
  async function serve(options: Partial<OpenFilesOptions> = {}) {
    const started = await startFiles(closing, testDatabase, options)
    const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
      const gone = new AbortController()
      response.on('close', () => gone.abort())
      const input: Input = {
        params: {},
        query: {},
        headers: { 'x-file-name': incoming.headers['x-file-name'] as string | undefined },
        // Who refuses an upload stops reading it; the answer still has to get through.
        body: incoming.iterator({ destroyOnReturn: false }),
        caller: { user_id: ANNA } as Caller,
        asks: [],
        client: {
          address: '',
          user_agent: '',
          content_type: incoming.headers['content-type'] ?? '',
          origin: '',
          note: null,
          device: null,
        },
        signal: gone.signal,
      }
      Promise.resolve(started.handlers.upload(input)).then(
        (answer) => response.end(JSON.stringify(answer)),
        (error: unknown) => {
          incoming.resume()
          response.statusCode = 400
          response.end(
            JSON.stringify(
              error instanceof AppError ? { code: error.code, detail: error.message } : { crash: String(error) },
            ),
          )
        },
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.defer(() => new Promise<void>((resolve) => (server.close(() => resolve()), server.closeAllConnections())))
    const { port } = server.address() as AddressInfo
    const post = async (init: RequestInit): Promise<Record<string, unknown>> =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...init })).json() as Promise<Record<string, unknown>>
    return { ...started, port, post }
  }
  const form = (...parts: [field: string, value: string | File][]): RequestInit => {
    const body = new FormData()
    for (const [field, value] of parts) body.append(field, value)
    return { body }
  }
  const raw = (body: string, boundary = 'b'): RequestInit => ({
    body: body.replaceAll('\n', '\r\n'),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  const disposition = 'Content-Disposition: form-data; name="file"; filename='

  test('uploads come as a form or as raw bytes with the name in a header', async () => {
    const { post, files } = await serve()
    const big = Buffer.alloc(5_000_000, 'абв')
    const answer = await post(form(['file', new File([big], 'Größe "2".txt', { type: 'image/png' })]))
    const file = answer['file'] as { file_id: string }
    expect(answer).toMatchObject({ ok: true, file: { media_type: 'text/plain', size: big.length, extension: 'txt' } })
    expect(big.equals(await collect((await files.open(ANNA, file.file_id)).stream))).toBe(true)
    const named = { headers: { 'x-file-name': encodeURIComponent('отчёт.json') } }
    expect(await post({ body: '{}', ...named })).toMatchObject({ file: { name: 'отчёт.json', size: 2 } })
    expect(await post({ ...named })).toMatchObject({ file: { size: 0 } })
    expect(await post(form(['file', new File([], 'empty.txt')]))).toMatchObject({ file: { size: 0 } })
    expect(await post(raw(`preamble\n--b\n${disposition}"x.txt"\n\nhi\n--b--\nepilogue`))).toMatchObject({
      file: { name: 'x.txt', size: 2 },
    })
  })

  test('any other body is refused with a reason, and leaves nothing', async () => {
    const { post, nothingLeft } = await serve({ sizeLimit: 200_000 })
    const a = new File(['a'], 'a.txt')
    const wrong: [RequestInit, string][] = [
      [{ body: 'x' }, 'bad_file_name'],
      [{ body: 'x', headers: { 'x-file-name': '%ff' } }, 'bad_file_name'],
      [{ body: 'x', headers: { 'x-file-name': '..%2f..%2fetc' } }, 'bad_file_name'],
      [{ body: 'x', headers: { 'x-file-name': 'a%0d%0ab' } }, 'bad_file_name'],
      [{ body: 'x'.repeat(200_001), headers: { 'x-file-name': 'a' } }, 'payload_too_large'],
      [form(['file', new File(['x'.repeat(200_001)], 'a')]), 'payload_too_large'],
      [form(['file', new File(['x'.repeat(150_000)], '../a')]), 'bad_file_name'],
      [form(['file', a], ['file', a]), 'invalid_request'],
      [form(['file', a], ['other', new File(['x'.repeat(150_000)], 'b')]), 'invalid_request'],
      [form(['file', a], ['note', 'text']), 'invalid_request'],
      [form(['note', 'text'], ['file', a]), 'invalid_request'],
      [form(['upload', a]), 'invalid_request'],
      [form(['file', 'only text']), 'invalid_request'],
      [raw(''), 'invalid_request'],
      [raw('not a form at all'), 'invalid_request'],
      [raw(`--b\n${disposition}"a"\n\ncut off`), 'invalid_request'],
      [raw(`--b\n${disposition}"a"\n\nwhole part\n--b\n${disposition}"b"`), 'invalid_request'],
      [raw(`--b\n${disposition}"a"\n`), 'invalid_request'],
      [raw(`--b\n${disposition}"C:\\\\x"\n\nhi\n--b--\n`), 'bad_file_name'],
      [raw('--b\nContent-Disposition: attachment; filename="a"\n\nhi\n--b--\n'), 'invalid_request'],
      [{ body: 'x', headers: { 'content-type': 'multipart/form-data' } }, 'invalid_request'],
    ]
    for (const [init, code] of wrong)
      expect({ init, answer: await post(init) }).toMatchObject({ init, answer: { code } })
    await nothingLeft()
  })

  test.each([
    ['raw', { 'x-file-name': 'a.bin' }, ''],
    ['form', { 'content-type': 'multipart/form-data; boundary=b' }, `--b\r\n${disposition}"a"\r\n\r\n`],
  ])('a client that leaves in the middle of a %s upload leaves nothing', async (_kind, headers, start) => {
    const { port, stored, nothingLeft } = await serve()
    const sending = request({ host: '127.0.0.1', port, method: 'POST', headers })
    sending.on('error', () => {})
    sending.write(start + 'x'.repeat(300_000))
    await until(async () => (await stored()).length === 1)
    sending.destroy()
    await until(async () => (await stored()).length === 0)
    await nothingLeft()
    expect(await stored()).toEqual([])
  })
})
