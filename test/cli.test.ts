import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { emptyPlace, startInstallation, upload } from './stage/databases/backup-stage.ts'
import { runCommand } from './stage/command-line.ts'
import { PASSWORD } from './stage/people.ts'
import { databases } from './stage/servers/postgres.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

describe.each(databases)('the command line beside a service on $name', (database) => {
  test('lets the first administrator in, and makes, locks out and lets in people', async () => {
    const { service, env: place } = await startInstallation(closing, database)
    const env = { ...place, REEVE_PORT: String(service.port) }
    const first = await runCommand(env, ['setup-link', '--json'])
    expect(first.json()).toEqual({ link: expect.stringMatching(/\/setup\?token=/) as string })
    const token = new URL(first.json<{ link: string }>().link).searchParams.get('token')!
    const admin = service.anonymous()
    const { csrf_token } = await admin.call(contract.accounts.setup, {
      body: { token, username: 'admin', password: PASSWORD },
    })
    admin.csrfToken = csrf_token
    expect(await runCommand(env, ['setup-link'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^reeve: An administrator already exists/) as string,
    })

    const made = await runCommand(env, ['user', 'create', 'anna', '--password-stdin'], { input: `${PASSWORD}\n` })
    expect(made).toMatchObject({ code: 0 })
    const anna = await service.signIn('anna')
    await anna.call(contract.files.list)
    expect(await runCommand(env, ['user', 'disable', 'Anna'])).toMatchObject({ code: 0 })
    await expect(anna.call(contract.files.list)).rejects.toMatchObject({ status: 401 })
    expect(await runCommand(env, ['user', 'enable', 'anna'])).toMatchObject({ code: 0 })
    expect(await runCommand(env, ['user', 'role', 'anna', 'admin'])).toMatchObject({ code: 0 })
    const { users } = (await runCommand(env, ['user', 'list', '--json'])).json<{
      users: { username: string; role: string }[]
    }>()
    expect(users.map(({ username, role }) => [username, role])).toEqual([
      ['admin', 'admin'],
      ['anna', 'admin'],
    ])

    const reset = await runCommand(env, ['user', 'reset-password', 'anna', '--json'])
    const invite = new URL(reset.json<{ link: string }>().link).searchParams.get('invite')!
    await service
      .anonymous()
      .call(contract.accounts.acceptInvitation, { body: { token: invite, password: `${PASSWORD} new` } })
    expect(await runCommand(env, ['user', 'remove-second-factor', 'anna'])).toMatchObject({ code: 0 })

    // The rules of the pages hold here, too, and the audit log says who it was.
    await runCommand(env, ['user', 'disable', 'anna'])
    expect(await runCommand(env, ['user', 'disable', 'admin'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/only administrator/) as string,
    })
    expect(await runCommand(env, ['user', 'create', 'weak', '--password-stdin'], { input: 'abc\n' })).toMatchObject({
      code: 1,
    })
    const { items } = await admin.call(contract.accounts.audit, { query: { limit: 50 } })
    expect(items.filter(({ actor }) => actor.endsWith('(command line)')).length).toBeGreaterThan(5)
    expect(JSON.stringify(items)).not.toContain(PASSWORD)
    expect((await runCommand(env, ['doctor', '--json'])).json()).toMatchObject({ ok: true })
  }, 120_000)

  test('finds what is missing, changed or too much, and puts right what is safe', async () => {
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    const [one, two] = [await upload(admin, 'one.txt', 'one'), await upload(admin, 'two.txt', 'two')]
    await admin.call(contract.chat.send, { body: { message: 'Nachtigall' } })
    const path = (id: string) => join(service.dataFolder, 'files', id.slice(-2), id)
    expect(await runCommand(env, ['verify'])).toMatchObject({ code: 0 })
    await writeFile(path(two), 'owt')
    const quick = await runCommand(env, ['verify', '--quick'])
    expect(quick).toMatchObject({ code: 0 })
    const whole = await runCommand(env, ['verify', '--json'])
    expect(whole.code).toBe(1)
    expect(whole.stdout).toContain(two)
    expect(whole.stdout).not.toContain(one)
    expect(whole.stderr).not.toContain('    at ')
  }, 120_000)
})

describe('the command line', () => {
  test('explains itself, and says what was typed wrongly', async () => {
    const env = {}
    expect(await runCommand(env, [])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^Usage: reeve/) as string,
    })
    expect(await runCommand(env, ['--help'])).toMatchObject({ code: 0 })
    const names = ['setup-link', 'user', 'backup', 'restore', 'verify', 'migrate', 'doctor']
    for (const name of names)
      expect(await runCommand(env, [name, '--help'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`reeve ${name}`) as string,
      })
    expect(await runCommand(env, ['module', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^reeve module/) as string,
    })
    for (const words of [
      ['nonsense'],
      ['backup', '--nonsense'],
      ['backup', 'a', 'b'],
      ['restore'],
      ['user'],
      ['user', 'nonsense'],
    ]) {
      const place = await emptyPlace(closing, { name: 'sqlite', url: async () => '' })
      const { code, stderr } = await runCommand(place.env, words)
      expect([words, code === 2 || code === 1]).toEqual([words, true])
      expect(stderr).not.toContain('    at ')
    }
  }, 120_000)

  test('has one sentence for a place without a database, a wrong setting, an open folder and an old schema', async () => {
    const place = await emptyPlace(closing, { name: 'sqlite', url: async () => '' })
    const fails = async (env: Record<string, string>, words: string[], why: RegExp) => {
      const { code, stderr } = await runCommand({ ...place.env, ...env }, words)
      expect({ words, code, stderr }).toEqual({ words, code: 1, stderr: expect.stringMatching(why) })
      expect(stderr).not.toContain('    at ')
    }
    for (const words of [['user', 'list'], ['backup'], ['verify'], ['setup-link']])
      await fails({}, words, /There is no database/)
    await fails({ REEVE_PORT: 'x' }, ['backup'], /REEVE_PORT/)
    await chmod(place.folder, 0o755)
    const doctor = await runCommand({ ...place.env, REEVE_PORT: '0' }, ['doctor', '--json'])
    const { checks } = doctor.json<{ checks: { name: string; status: string; fix: string | null }[] }>()
    expect(checks.find(({ name }) => name === 'data folder')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('chmod 700') as string,
    })
    expect((await runCommand({ ...place.env, REEVE_PORT: 'x' }, ['doctor', '--json'])).json()).toMatchObject({
      ok: false,
      checks: [{ name: 'settings', status: 'fail' }],
    })
  }, 120_000)

  test('keeps the newest backups, and touches no other file', async () => {
    const { service, env } = await startInstallation(closing, { name: 'sqlite', url: async () => '' })
    await service.as('admin')
    const folder = join(service.dataFolder, 'kept')
    await mkdir(folder)
    for (const name of [
      'reeve-2020-01-01T00-00-00Z.zip',
      'reeve-2021-01-01T00-00-00Z.zip',
      'mine.zip',
      'reeve-old.zip',
    ])
      await writeFile(join(folder, name), 'x')
    const { removed } = (await runCommand(env, ['backup', folder, '--keep', '2', '--json'])).json<{
      removed: string[]
    }>()
    expect(removed).toEqual(['reeve-2020-01-01T00-00-00Z.zip'])
    const left = await readdir(folder)
    expect(left).toHaveLength(4)
    expect(left).toEqual(expect.arrayContaining(['mine.zip', 'reeve-old.zip', 'reeve-2021-01-01T00-00-00Z.zip']))
    expect((await runCommand(env, ['migrate', '--check', '--json'])).json()).toMatchObject({ pending: [] })
    expect(await runCommand(env, ['backup', join(folder, 'mine.zip')])).toMatchObject({ code: 1 })
  }, 120_000)
})
