import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, watch } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { contentOf, emptyPlace, readBackup, startInstallation, upload } from './stage/databases/backup-stage.ts'
import { runCommand, startCommand } from './stage/command-line.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'
import { startProcess } from './stage/process.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

interface Taken {
  file: string
  rows: number
  files: number
  missing: string[]
  verified: boolean
}

/**
 * Kills a restore as soon as a name appears in the data folder, or, with `*` for the folder of what is being restored,
 * in there.
 * @returns whether it was killed before it ended
 */
async function killWhen(name: string, dataFolder: string, child: ChildProcess): Promise<boolean> {
  child.stdout!.resume()
  child.stderr!.resume()
  using watching = new DisposableStack()
  const watched = new Set<string>()
  const look = (folder: string, inside: string) => {
    if (watched.has(folder)) return
    watched.add(folder)
    const watcher = watching.adopt(watch(folder), (open) => open.close())
    // The folder may be gone again already, or moved to its place.
    watcher.on('error', () => undefined).on('change', seen)
    seen()
    function seen() {
      const names = existsSync(folder) ? readdirSync(folder) : []
      for (const found of names) {
        const path = inside + found.replace(/^restoring-.*/, 'restoring-*')
        if (path === name) child.kill('SIGKILL')
        if (path === 'restoring-*' && name.startsWith('*/')) look(join(folder, found), '*/')
      }
    }
  }
  look(dataFolder, '')
  const [code] = (await once(child, 'exit')) as [number | null]
  return code === null
}

/** The audit log as a number of entries: a command may chain those that the one before has left. */
function countEntries({ audit = [], audit_unchained: waiting = [], ...content }: Record<string, string[]>) {
  return { ...content, entries: audit.length + waiting.length }
}

describe.each(databases)('a backup on $name', (database) => {
  test('taken while people work is one moment, and comes back on both databases with every row and byte', async () => {
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    const names = ['anna', 'boris']
    const writers = await Promise.all(names.map((name) => service.as(name)))
    for (let i = 0; i < 20; i++) await upload(admin, `fixed-${i}.bin`, randomBytes(50_000))
    await admin.call(contract.chat.send, { body: { message: 'Überraschung am Montag' } })

    const stop = new AbortController()
    let written = 0
    const work = writers.map(async (client, who) => {
      for (let i = 0; !stop.signal.aborted; i++) {
        const file_id = await upload(client, `${who}-${i}.bin`, randomBytes(20_000))
        await client.call(contract.commands.create, { body: { name: `c${i}`, prompt: 'p', run_mode: 'send' } })
        await client.call(contract.chat.send, { body: { message: `/system.host {}` } })
        // What is removed for good after the snapshot must still be in the backup.
        if (i % 2 === 0) await client.call(contract.files.remove, { params: { file_id }, query: { forever: 'true' } })
        written++
      }
    })
    // At least one of them has kept a file: a backup may be faster than the first upload.
    await until(() => (written >= 4 ? true : null))
    const found: Taken[] = []
    for (const name of ['first', 'second']) {
      const before = written
      const result = await runCommand(env, ['backup', join(service.dataFolder, `${name}.zip`), '--json'])
      expect(result).toMatchObject({ code: 0 })
      found.push(result.json<Taken>())
      expect(written).toBeGreaterThan(before)
    }
    stop.abort()
    await Promise.all(work)

    for (const { file, missing, verified } of found) {
      expect({ missing, verified }).toEqual({ missing: [], verified: true })
      const { manifest, tables, digests } = await readBackup(file)
      expect(manifest.key.included).toBe(false)
      // One moment: whatever a row names is there.
      const at = (table: string, column: string) =>
        manifest.tables.find(({ name }) => name === table)!.columns.indexOf(column)
      const files = tables['file']!.map((line) => JSON.parse(line) as unknown[])
      expect(files.length).toBeGreaterThan(20)
      for (const row of files)
        expect(digests.get(`files/${String(row[at('file', 'stored_as')])}`)).toBe(row[at('file', 'sha256')])
      expect(Object.keys(tables)).not.toContain('session')
    }
    const newest = await readBackup(found[1]!.file)

    for (const other of databases) {
      const place = await emptyPlace(closing, other)
      const keyFile = join(service.dataFolder, 'secret.key')
      const restored = await runCommand(place.env, ['restore', found[1]!.file, '--key-file', keyFile, '--json'])
      expect(restored).toMatchObject({ code: 0 })
      const content = await contentOf(place.env)
      // A run that was under way is told to stop; everything else is as it was.
      const stopped = newest.manifest.tables.find(({ name }) => name === 'run')!.columns.indexOf('cancel_requested_at')
      const still = (lines: string[]) =>
        lines.map((line) => JSON.stringify((JSON.parse(line) as unknown[]).with(stopped, null))).sort()
      expect(still(content['run']!)).toEqual(still(newest.tables['run']!))
      expect({ ...content, run: [] }).toEqual({ ...newest.tables, run: [] })
      expect((await runCommand(place.env, ['verify', '--json'])).json()).toMatchObject({ ok: true })

      await using again = await startProcess({
        database: { name: other.name, url: async () => place.env['REEVE_DATABASE_URL']! },
        env: { REEVE_DATA_DIR: place.folder },
      })
      const back = again.anonymous()
      const { csrf_token } = await back.call(contract.accounts.login, {
        body: { username: 'admin', password: PASSWORD },
      })
      back.csrfToken = csrf_token
      const { items } = await back.call(contract.chat.listConversations, { query: { q: 'uberrasch' } })
      expect(items).toHaveLength(1)
      // Counters go on where they were: no id is given twice.
      await back.call(contract.chat.send, { body: { message: 'again' } })
      await upload(back, 'new.txt', 'new')
    }
  }, 120_000)

  test('without its key, damaged, cut off, or of a newer program is refused, and what is there stays', async () => {
    const { service, env } = await startInstallation(closing, database)
    const stored = randomBytes(5000)
    await upload(await service.as('admin'), 'stored.bin', stored)
    const file = join(service.dataFolder, 'b.zip')
    expect(await runCommand(env, ['backup', file, '--no-verify'])).toMatchObject({ code: 0 })
    const place = await emptyPlace(closing, database)
    const refused = async (words: string[], why: RegExp) => {
      const { code, stderr } = await runCommand(place.env, ['restore', ...words])
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(why) })
      expect(stderr).not.toContain('    at ')
      expect((await readdir(place.folder)).filter((name) => /restor|reeve\.db/.test(name))).toEqual([])
    }
    await refused([file], /secret key/)
    const otherKey = join(place.folder, 'other.key')
    await writeFile(otherKey, randomBytes(32).toString('hex'))
    await refused([file, '--key-file', otherKey], /not the one that this backup was made with/)
    await refused([join(place.folder, 'nothing.zip')], /There is no file/)

    const whole = await readFile(file)
    const spoil = async (name: string, bytes: Buffer): Promise<string> => {
      const path = join(service.dataFolder, name)
      await writeFile(path, bytes)
      return path
    }
    await refused([await spoil('cut.zip', whole.subarray(0, whole.length - 300))], /not a backup|damaged/)
    const flipped = Buffer.from(whole)
    flipped[whole.indexOf(stored.subarray(100, 150))]! ^= 1
    await refused(
      [await spoil('flipped.zip', flipped), '--key-file', join(service.dataFolder, 'secret.key')],
      /damaged/,
    )
    await refused([await spoil('text.zip', Buffer.from('hello'))], /not a backup/)
    // The right key, at last.
    const restored = await runCommand(place.env, [
      'restore',
      file,
      '--key-file',
      join(service.dataFolder, 'secret.key'),
    ])
    expect(restored).toMatchObject({ code: 0 })
  }, 120_000)

  test('takes the place of what is there only with --force, and only while no service runs; the old is kept', async () => {
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    await upload(admin, 'before.txt', 'before')
    const file = join(service.dataFolder, 'b.zip')
    expect(await runCommand(env, ['backup', file, '--with-key'])).toMatchObject({ code: 0 })
    await upload(admin, 'after.txt', 'after')
    expect(await runCommand(env, ['restore', file, '--force'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/running/) as string,
    })
    await service.kill('SIGTERM')
    expect(await runCommand(env, ['restore', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/--force/) as string,
    })
    const before = await contentOf(env)
    expect(before['file']).toHaveLength(2)
    const { aside } = (await runCommand(env, ['restore', file, '--force', '--json'])).json<{ aside: string[] }>()
    expect(aside).toHaveLength(database.name === 'postgres' ? 2 : 1)
    expect((await contentOf(env))['file']).toHaveLength(1)
    await service.restart()
    expect((await (await service.signIn('admin')).call(contract.files.list)).items).toHaveLength(1)
  }, 120_000)

  test('whose restore is killed leaves the old place or the new one, and never something between', async () => {
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    const file = join(service.dataFolder, 'b.zip')
    for (let i = 0; i < 10; i++) await upload(admin, `${i}.bin`, randomBytes(200_000))
    expect(await runCommand(env, ['backup', file, '--with-key', '--no-verify'])).toMatchObject({ code: 0 })
    await upload(admin, 'after.txt', 'after')
    await service.kill('SIGTERM')
    expect(await runCommand(env, ['restore', file, '--force'])).toMatchObject({ code: 0 })
    const restored = await contentOf(env)
    expect(restored['file']).toHaveLength(10)

    const ends = { old: 0, new: 0 }
    // The first comes long before the end; the others so late that the restore may have ended when it is seen.
    for (const [index, moment] of ['restoring-*', '*/reeve.db', '*/secret.key', 'restore.json', 'never'].entries()) {
      expect(await runCommand(env, ['user', 'create', `later-${index}`])).toMatchObject({ code: 0 })
      const old = await contentOf(env)
      const killed = await killWhen(moment, service.dataFolder, startCommand(env, ['restore', file, '--force']))
      if (index === 0) expect(killed).toBe(true)
      if (!killed) expect(await contentOf(env)).toEqual(restored)
      // Any command finishes what was decided, also the one that looks whether all is well.
      expect(await runCommand(env, ['verify', '--quick'])).toMatchObject({ code: 0 })
      const now = await contentOf(env)
      const end = now['user']!.length === old['user']!.length ? 'old' : 'new'
      expect(countEntries(now)).toEqual(countEntries(end === 'old' ? old : restored))
      ends[end]++
    }
    expect(ends.old).toBeGreaterThan(0)
    expect(ends.new).toBeGreaterThan(0)
  }, 120_000)
})
