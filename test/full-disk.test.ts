import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { upload } from './stage/databases/backup-stage.ts'
import { ProblemAnswer } from './stage/client.ts'
import { startProcess } from './stage/process.ts'
import { fill, openSmallDisk } from './stage/machines/small-disk.ts'
import { until } from './stage/wait.ts'

const codeOf = (error: unknown): string => (error instanceof ProblemAnswer ? error.code : String(error))

test('a full disk says so, lets people read, and is over when there is room again', async ({ skip }) => {
  using disk = openSmallDisk(64)
  if (disk === null) return skip('This account may not mount a small disk.')
  await using service = await startProcess({ env: { REEVE_DATA_DIR: disk.path } })
  const admin = await service.as('admin')
  const kept = await upload(admin, 'kept.txt', 'kept')
  await admin.call(contract.chat.send, { body: { message: 'before' } })
  await upload(admin, 'table.csv', 'a;b\n1;2\n')
  const ready = async (): Promise<{ status: number; code?: string }> => {
    const answer = await fetch(`${service.url}/readyz`)
    return { status: answer.status, code: ((await answer.json()) as { code?: string }).code }
  }
  expect(await ready()).toMatchObject({ status: 200 })

  const filler = join(disk.path, 'filler')
  await fill(filler)
  const bytes = Buffer.alloc(600_000)
  expect(await upload(admin, 'too-much.bin', bytes).catch(codeOf)).toBe('storage_full')
  const long = 'word '.repeat(4000)
  const failed = await until(
    async () => {
      // The log of the database may have a little room left.
      await fill(filler)
      const code = await admin.call(contract.chat.send, { body: { message: long } }).then(() => null, codeOf)
      return code !== null && { code }
    },
    { what: 'the database has no room left' },
  )
  expect(failed).toEqual({ code: 'storage_full' })
  expect(await ready()).toEqual({ status: 507, code: 'storage_full' })
  expect((await fetch(`${service.url}/livez`)).status).toBe(200)

  // What is stored stays readable.
  const bytesKept = await admin.call(contract.files.download, { params: { file_id: kept } })
  expect(await bytesKept.text()).toBe('kept')
  const { messages } = await admin.call(contract.chat.history, { query: {} })
  expect(messages.length).toBeGreaterThan(0)
  const { warnings } = await admin.call(contract.dashboard.dashboard)
  expect(warnings[0]).toMatchObject({ code: 'disk_full', level: 'danger' })
  expect(JSON.stringify(service.log)).not.toContain('cannot rollback')

  await rm(filler)
  expect((await statfs(disk.path)).bavail).toBeGreaterThan(0)
  await until(async () => (await ready()).status === 200, { what: 'it is ready again, by itself' })
  await upload(admin, 'fits.bin', bytes)
  await admin.call(contract.chat.send, { body: { message: 'after' } })
}, 120_000)
