import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { readConfig } from '../server/app/config.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const MIB = 1024 * 1024

describe.each(databases)('sizes that are set, on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false, env: { REEVE_MAX_FILE: '1MiB', REEVE_QUOTA: '2.5 MiB' } })
    ann = await stage.as('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const raw = (bytes: number): RequestInit => ({
    method: 'POST',
    headers: { 'x-file-name': 'a.bin', 'content-type': 'application/octet-stream' },
    body: Buffer.alloc(bytes, bytes % 251),
  })
  const form = (bytes: number): RequestInit => {
    const body = new FormData()
    body.append('file', new File([Buffer.alloc(bytes, bytes % 251)], 'b.bin'))
    return { method: 'POST', body }
  }
  const send = async (init: RequestInit): Promise<[number, string | undefined, string | undefined]> => {
    const response = await ann.fetch('/api/files', init)
    const { code, detail } = (await response.json()) as { code?: string; detail?: string }
    return [response.status, code, detail]
  }

  test('hold for one file and for all of a user, and are told before anything is sent', async () => {
    const tooLarge = [413, 'payload_too_large', 'A file may have at most 1 MiB.']
    expect(await send(raw(MIB + 1))).toEqual(tooLarge)
    expect(await send(form(MIB + 1))).toEqual(tooLarge)
    expect(await send(raw(MIB))).toEqual([200, undefined, undefined])
    expect(await send(form(MIB))).toEqual([200, undefined, undefined])
    const [status, code, detail] = await send(raw(MIB - 1))
    expect([status, code]).toEqual([413, 'quota_exceeded'])
    expect(detail).toContain('at most 2.5 MiB in total')
    const { usage } = await ann.call(contract.files.list, { query: {} })
    expect(usage).toEqual({ bytes: 2 * MIB, deleted_bytes: 0, limit: 2.5 * MIB, file_limit: MIB })
  })
})

test('a size that is none stops the start with one sentence', () => {
  const read = (env: Record<string, string>) => () => readConfig(env)
  expect(read({ REEVE_MAX_FILE: '5 GB' })).toThrow(
    'REEVE_MAX_FILE is not usable: must be a size up to 64GiB, such as 256MiB. ',
  )
  expect(read({ REEVE_MAX_FILE: '65GiB' })).toThrow('REEVE_MAX_FILE is not usable')
  expect(read({ REEVE_QUOTA: '0MiB' })).toThrow('REEVE_QUOTA is not usable: must be a size up to 1024TiB')
  expect(readConfig({}).files).toEqual({ sizeLimit: 256 * MIB, quota: 5 * 1024 * MIB })
})
