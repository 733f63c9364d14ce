import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { runCommand, startCommand } from './stage/command-line.ts'
import { contentOf, startInstallation } from './stage/databases/backup-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { fill, openSmallDisk } from './stage/machines/small-disk.ts'
import { until } from './stage/wait.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

describe.each(databases)('a backup that fails on $name', (database) => {
  async function open() {
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    const told = async () => {
      const { warnings, machine } = await admin.call(contract.dashboard.dashboard)
      const warning = warnings.find(({ code }) => code === 'backup_failed') ?? null
      expect(machine!.backup_failed_at).toBe(warning?.value ?? null)
      return warning
    }
    return { env, told, folder: join(service.dataFolder, 'backups') }
  }

  test('for want of a folder that can be written is told, until one succeeds', async () => {
    const { env, told } = await open()
    const begun = new Date().toISOString()
    // Nobody may create anything there, whatever their rights.
    const refused = await runCommand(env, ['backup', '/sys/reeve-backups'])
    expect(refused.code).not.toBe(0)
    const warning = await told()
    expect(warning).toMatchObject({
      level: 'warn',
      cause: 'not_writable',
      detail: expect.stringContaining('/sys/reeve'),
    })
    expect(String(warning!.value) >= begun).toBe(true)
    const doctor = await runCommand(env, ['doctor'])
    expect(doctor.stdout).toMatch(/The one begun at .* failed: .*\/sys\/reeve/)
    // Words that are no backup leave it as it is.
    expect((await runCommand(env, ['backup', 'there.zip', '--keep', '3'])).code).not.toBe(0)
    expect(await told()).toEqual(warning)
    const { code, json } = await runCommand(env, ['backup', '--no-verify', '--json'])
    expect(code).toBe(0)
    expect(await told()).toBeNull()
    const { file } = json<{ file: string }>()
    expect(await runCommand(env, ['backup', file])).toMatchObject({ code: 1 })
    expect(await told()).toMatchObject({
      cause: 'other',
      detail: `${file} already exists. Name another file, or a folder.`,
    })
    expect(JSON.stringify(await contentOf(env))).not.toContain('backup_attempt')
  })

  test('because it is killed is told once it has ended, and not while it is under way', async () => {
    const { env, told, folder } = await open()
    const child = startCommand(env, ['backup'])
    const exited = once(child, 'exit')
    const unfinished = () => {
      try {
        return readdirSync(folder).some((name) => name.endsWith('.unfinished'))
      } catch {
        return false
      }
    }
    await until(unfinished, { what: 'it is being written' })
    child.kill('SIGSTOP')
    expect(await told()).toBeNull()
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])
    const warning = await told()
    expect(warning).toMatchObject({ level: 'warn', cause: 'stopped' })
    expect(warning).not.toHaveProperty('detail')
    expect((await readdir(folder)).filter((name) => name.endsWith('.zip'))).toEqual([])
  })

  test('for want of room is told', async ({ skip }) => {
    using disk = openSmallDisk(1)
    if (disk === null) return skip('This account may not mount a small disk.')
    await fill(join(disk.path, 'filler'))
    const { env, told } = await open()
    expect((await runCommand(env, ['backup', disk.path])).code).toBe(1)
    expect(await told()).toMatchObject({ cause: 'no_space', detail: expect.stringContaining('ENOSPC') })
    expect(await readdir(disk.path)).toEqual(['filler'])
  })
})
