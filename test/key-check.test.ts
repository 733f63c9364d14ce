import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { emptyPlace, startInstallation } from './stage/databases/backup-stage.ts'
import { runCommand } from './stage/command-line.ts'
import { openFolder } from './stage/open-folder.ts'
import { OLD_PASSWORD, placeOldDatabase } from './stage/databases/old-database.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

interface Checked {
  checks: { name: string; status: string; message: string }[]
}

describe.each(databases)('the secret key of an installation on $name', (database) => {
  test('lost or changed stops the start with one sentence, and is never replaced in silence', async () => {
    const { service, env } = await startInstallation(closing, database)
    await service.as('admin')
    const file = join(service.dataFolder, 'secret.key')
    const right = await readFile(file, 'utf8')
    expect((await runCommand(env, ['doctor', '--json'])).json<Checked>().checks).toContainEqual(
      expect.objectContaining({ name: 'key', status: 'ok' }),
    )
    await service.kill('SIGTERM')

    await rm(file)
    await expect(service.restart()).rejects.toThrow(
      /^The server ended with code 1:\nreeve: The secret key of this installation is gone: there is no secret\.key in [^\n]+$/,
    )
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    expect(await runCommand(env, ['backup'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is gone/) as string,
    })

    await writeFile(file, `${'ab'.repeat(32)}\n`, { mode: 0o600 })
    await expect(service.restart()).rejects.toThrow(
      /^The server ended with code 1:\nreeve: The secret key [^\n]+forget-secrets\.$/,
    )
    const doctor = await runCommand(env, ['doctor', '--json'])
    expect(doctor.code).toBe(1)
    expect(doctor.json<Checked>().checks).toContainEqual(
      expect.objectContaining({
        name: 'key',
        status: 'fail',
        message: expect.stringMatching(/not the one of this installation/) as string,
      }),
    )
    expect(await runCommand(env, ['backup'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/not the one/) as string,
    })

    await writeFile(file, right)
    await service.restart()
    await service.signIn('admin')
  }, 120_000)

  test('that is lost for good: what was sealed with it is removed on demand, and everything else goes on', async () => {
    const folder = await openFolder(closing)
    const env = await placeOldDatabase('9-whole-house', database, folder)
    const options = { database: { ...database, url: async () => env['REEVE_DATABASE_URL']! }, env }
    // An installation from before keys were checked: its first start notes the key.
    const before = await startProcess(options)
    const restart = async () => {
      const service = closing.use(await startProcess(options))
      const admin = service.anonymous()
      const { csrf_token } = await admin.call(contract.accounts.login, {
        body: { username: 'Admin', password: OLD_PASSWORD },
      })
      admin.csrfToken = csrf_token
      return { service, admin }
    }
    await before.kill('SIGTERM')
    const taken = await runCommand(env, ['backup', '--json'])
    expect(taken.code).toBe(0)

    await rm(join(folder, 'secret.key'))
    const asked = await runCommand(env, ['forget-secrets', '--json'])
    expect(asked).toMatchObject({ code: 1 })
    expect(asked.json()).toMatchObject({ would_forget: { engine_keys: 1, module_secrets: 0 } })
    await expect(startProcess(options)).rejects.toThrow(/is gone/)
    expect(await runCommand(env, ['forget-secrets', '--yes'])).toMatchObject({ code: 0 })

    const { service, admin } = await restart()
    const { engine } = await admin.call(contract.engines.engine)
    expect(engine).toMatchObject({ model: 'm', api_key: { configured: false } })
    const { warnings } = await admin.call(contract.dashboard.dashboard)
    expect(warnings.map(({ code }) => code)).toContain('secrets_forgotten')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'secrets.forgotten' } })
    expect(items).toHaveLength(1)
    expect(await runCommand(env, ['forget-secrets', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/running/) as string,
    })
    await service.kill()

    // A backup whose key is lost comes back without what was sealed, and starts with the key of its new place.
    const place = await emptyPlace(closing, database)
    const file = String(taken.json()['file'])
    expect(await runCommand(place.env, ['restore', file])).toMatchObject({ code: 1 })
    expect(await runCommand(place.env, ['restore', file, '--lose-secrets'])).toMatchObject({ code: 0 })
    const restored = closing.use(
      await startProcess({
        database: { ...database, url: async () => place.env['REEVE_DATABASE_URL']! },
        env: { REEVE_DATA_DIR: place.folder },
      }),
    )
    await restored.anonymous().call(contract.accounts.login, { body: { username: 'Admin', password: OLD_PASSWORD } })
  }, 120_000)
})
