import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { buffer, text as readText } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ATTEMPTS } from '../server/receipts/deliver.ts'
import { failingPlace, lastHead } from '../server/receipts/heads.ts'
import { readHeadPlaces } from '../server/receipts/places.ts'
import { DAY, folderFor, NOWHERE, openLog } from './stage/heads-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('a signed head of the audit log on $name', (database) => {
  test('goes to a file, a webhook and a syslog service by UDP or TCP', async () => {
    const folder = await folderFor()
    const posted: { authorization: string | undefined; body: string }[] = []
    const http = createHttp((request, answer) => {
      void readText(request).then((body) => {
        posted.push({ authorization: request.headers.authorization, body })
        answer.end('ok')
      })
    }).listen(0, '127.0.0.1')
    const tcp = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    const udp = createSocket('udp4').bind(0, '127.0.0.1')
    await Promise.all([once(http, 'listening'), once(tcp, 'listening'), once(udp, 'listening')])
    onTestFinished(() => void (http.close(), tcp.close(), udp.close()))
    const file = join(folder, 'own', 'heads.ndjson')
    const { record, sweep, envelopes, time, failures, db } = await openLog(database, {
      file,
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/heads`,
      token: 'secret-token',
      syslog: `udp://127.0.0.1:${udp.address().port}`,
    })
    await record(2)
    const datagram = once(udp, 'message') as Promise<[Buffer]>
    await sweep()
    await sweep()
    const [envelope] = await envelopes()
    expect(await readFile(file, 'utf8')).toBe(`${envelope}\n`)
    expect(posted).toEqual([{ authorization: 'Bearer secret-token', body: envelope }])
    const [message] = await datagram
    expect(message.toString()).toMatch(/^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ reeve \d+ audit-head - \{/)
    expect(message.toString().slice(message.indexOf('{'))).toBe(envelope)
    expect(message.length).toBeLessThan(2048)
    expect(failures).toEqual([])
    expect((await lastHead(db))!.sent.map(({ place, problem, sent_at }) => [place, problem, sent_at !== null])).toEqual(
      [
        ['file', null, true],
        ['syslog', null, true],
        ['webhook', null, true],
      ],
    )

    // A line that was torn by a crash stays one of its own.
    await writeFile(file, `${envelope}\n{"payloadType":"app`)
    const second = await openLog(database, { file, syslog: `tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}` })
    second.time.now = time.now + DAY
    await second.record(1)
    const connection = once(tcp, 'connection') as Promise<[Socket]>
    await second.sweep()
    const [next] = await second.envelopes()
    expect((await readFile(file, 'utf8')).split('\n')).toEqual([envelope, '{"payloadType":"app', next, ''])
    const [socket] = await connection
    const frame = (await buffer(socket)).toString()
    socket.destroy()
    const [length, ...rest] = frame.split(' ')
    expect(Number(length)).toBe(Buffer.byteLength(rest.join(' ')))
    expect(frame.endsWith(next!)).toBe(true)
  })

  test('that does not arrive is tried a few times, and said on the dashboard until one does', async () => {
    let status = 500
    let asked = 0
    const http = createHttp((_request, answer) => {
      asked++
      answer.writeHead(status, { location: 'http://127.0.0.1:9/' }).end()
    }).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    const { record, sweep, time, failures, db } = await openLog(database, {
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    })
    // It fails within one day of the clock, whatever the time of the real one.
    time.now = Date.UTC(2026, 0, 1)
    await record(1)
    // Two processes at the same time: one of them tries.
    await Promise.all([sweep(), sweep()])
    expect(asked).toBe(1)
    expect(await failingPlace(db)).toBe('webhook')
    for (let i = 0; i < 20; i++) {
      time.now += 60 * 60_000
      await sweep()
    }
    expect(asked).toBe(ATTEMPTS)
    expect(new Set(failures)).toEqual(new Set(['webhook: It answered with status 500.']))
    status = 307
    time.now = Date.UTC(2026, 0, 2)
    await sweep()
    expect((await lastHead(db))!.sent[0]!.problem).toContain('redirects')
    status = 200
    time.now = Date.UTC(2026, 0, 3)
    await sweep()
    expect(await failingPlace(db)).toBeNull()
  })
})

test('places that make no sense keep the service from starting', () => {
  const refused = (settings: Partial<typeof NOWHERE>) => () => readHeadPlaces({ ...NOWHERE, ...settings })
  expect(refused({ file: 'heads' })).toThrow('absolute')
  expect(refused({ token: 'x' })).toThrow('REEVE_AUDIT_HEADS_URL')
  for (const syslog of ['localhost', 'http://x', 'udp://', 'udp://u@h', 'udp://h/p', 'udp://h?x'])
    expect(refused({ syslog })).toThrow('udp://host:port')
  expect(readHeadPlaces({ ...NOWHERE, syslog: 'tcp://[::1]:601' }).syslog).toEqual({
    protocol: 'tcp',
    host: '::1',
    port: 601,
  })
  expect(readHeadPlaces({ ...NOWHERE, syslog: 'udp://logs' }).syslog!.port).toBe(514)
})
