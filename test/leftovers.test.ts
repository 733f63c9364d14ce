import { access, mkdir, readdir, utimes, writeFile, readlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { findLeftovers } from '../server/operation/leftovers.ts'
import { runCommand } from './stage/command-line.ts'
import { openFolder } from './stage/open-folder.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

async function plant(folder: string, paths: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(paths)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

test('what a kill left behind goes at the next start, and nothing else', async () => {
  const [data, temporary] = [await openFolder(closing), await openFolder(closing)]
  const killed = {
    'restoring-0a1b2c/reeve.db': 'half',
    'restore.json.unfinished': '{',
    'secret.key.0123456789ab': 'x',
    '.space-0123456789ab': 'x',
    'backups/reeve-before-0008-files-2026-01-01T00-00-00-000Z.db': '',
    'backups/reeve-before-0012-x-2026-01-02T00-00-00-000Z.db.unfinished': 'half',
  }
  const copies = Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7].map((day) => [
      `backups/reeve-before-000${10 - day}-x-2026-02-0${day}T00-00-00-000Z.db`,
      'copy',
    ]),
  )
  const mine = { 'backups/mine.unfinished.txt': 'x', 'before-restore-20260101t000000z/reeve.db': 'x', 'notes.txt': 'x' }
  await plant(data, { ...killed, ...copies, ...mine })
  // A process that never was, a folder of somebody else's, and one of a service whose processes have other numbers.
  const namespace = (await readlink('/proc/self/ns/pid')).replaceAll(/\D/g, '')
  const stale = `reeve-module-${namespace}-2147480000-1-AbCdEf`
  const others = ['reeve-module-notes', 'reeve-module-4-2147480000-1-AbCdEf']
  await plant(temporary, Object.fromEntries([stale, ...others].map((name) => [`${name}/tmp/x`, 'x'])))

  await using service = await startProcess({ env: { REEVE_DATA_DIR: data, TMPDIR: temporary } })
  for (const path of Object.keys(killed)) expect([path, await exists(join(data, path))]).toEqual([path, false])
  for (const path of Object.keys(mine)) expect([path, await exists(join(data, path))]).toEqual([path, true])
  const left = (await readdir(join(data, 'backups'))).filter((name) => name.endsWith('.db')).sort()
  expect(left.map((name) => name.slice(-27, -17))).toEqual([
    '2026-02-07',
    '2026-02-06',
    '2026-02-05',
    '2026-02-04',
    '2026-02-03',
  ])
  await until(async () => !(await exists(join(temporary, stale))), { what: 'the temporary folder is gone' })
  for (const name of others) expect([name, await exists(join(temporary, name, 'tmp/x'))]).toEqual([name, true])
  await service.kill('SIGTERM')
}, 120_000)

test('a backup that is being written is none, and one that was killed long ago is', async () => {
  const data = await openFolder(closing)
  await plant(data, {
    'backups/reeve-2026-01-01T00-00-00Z.zip.unfinished': 'x',
    'backups/.verifying-AbCdEf/reeve.db': 'x',
  })
  expect(await findLeftovers(data, { alone: true })).toEqual([])
  expect(await findLeftovers(data, { alone: true }, Date.now() + 7 * 3_600_000)).toHaveLength(2)
  // A restore that is decided is finished, not thrown away.
  await plant(data, { 'restoring-abc/reeve.db': 'x', 'restore.json': '{}' })
  expect(await findLeftovers(data, { alone: true })).toEqual([])
})

test('--keep leaves the newest of each kind, and takes what a killed backup left', async () => {
  await using service = await startProcess()
  await service.as('admin')
  const folder = await openFolder(closing)
  const unfinished = 'reeve-2026-01-01T00-00-00Z.zip.unfinished'
  await plant(folder, {
    'reeve-2020-01-01T00-00-00Z.zip': 'x',
    'before-0009-sign-in-methods-1600000000000.zip': 'x',
    'before-0008-files-1600000000001.zip': 'x',
    'before-mine.zip': 'x',
    [unfinished]: 'x',
    'reeve-2026-01-02T00-00-00Z.zip.unfinished': 'x',
  })
  await utimes(join(folder, unfinished), 1, 1)
  const env = { REEVE_DATA_DIR: service.dataFolder }
  const { removed } = (await runCommand(env, ['backup', folder, '--keep', '1', '--no-verify', '--json'])).json<{
    removed: string[]
  }>()
  expect(removed.toSorted()).toEqual([
    'before-0009-sign-in-methods-1600000000000.zip',
    'reeve-2020-01-01T00-00-00Z.zip',
    unfinished,
  ])
}, 120_000)
