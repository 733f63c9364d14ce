import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeAuthority } from '../server/certificates/make-certificate.ts'
import { installationChecks } from '../server/cli/doctor/installation-checks.ts'
import { readConfig } from '../server/app/config.ts'
import { runCommand } from './stage/command-line.ts'
import { openFolder } from './stage/open-folder.ts'
import { startProcess } from './stage/process.ts'
import { isolationWorks } from './stage/modules/sandbox-stage.ts'
import { until } from './stage/wait.ts'

let closing = new AsyncDisposableStack()
let root: string
let data: string
beforeEach(async () => {
  root = await openFolder(closing)
  data = join(root, 'data')
  await mkdir(data, { mode: 0o700 })
  await mkdir(join(root, 'dist/web'), { recursive: true })
  await writeFile(join(root, 'dist/web/index.html'), '')
})
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

/** What the doctor says of each thing, as `name: status`, but for what is well. */
async function found(env: Record<string, string> = {}): Promise<string[]> {
  const checks = await installationChecks(readConfig({ REEVE_DATA_DIR: data, ...env }), root)
  for (const check of checks) expect([check.name, check.fix !== null]).toEqual([check.name, check.status !== 'ok'])
  return checks.filter(({ status }) => status !== 'ok').map(({ name, status }) => `${name}: ${status}`)
}

async function makePair(name: string): Promise<{ cert: string; key: string }> {
  const day = 24 * 3_600_000
  const pair = await makeAuthority(name, { from: Date.now() - day, to: Date.now() + 90 * day })
  const [key, cert] = [join(root, `${name}.key`), join(root, `${name}.pem`)]
  await writeFile(key, pair.key)
  await writeFile(cert, pair.cert)
  return { cert, key }
}

describe('the doctor finds', () => {
  test('nothing where all is well', async () => {
    expect(await found()).toEqual([])
  })

  test('pages that are not built', async () => {
    await rm(join(root, 'dist'), { recursive: true })
    expect(await found()).toEqual(['pages: fail'])
  })

  test('settings that others may change, or read', async () => {
    await writeFile(join(root, '.env'), 'REEVE_PORT=1\n')
    await chmod(join(root, '.env'), 0o622)
    expect(await found()).toEqual(['.env: fail'])
    await chmod(join(root, '.env'), 0o644)
    expect(await found()).toEqual(['.env: warn'])
    for (const mode of [0o600, 0o640]) {
      await chmod(join(root, '.env'), mode)
      expect(await found()).toEqual([])
    }
  })

  test('files of another account in the data folder', async ({ skip }) => {
    if (process.getuid?.() !== 0) return skip('Only root may give a file to another account.')
    await mkdir(join(data, 'files/ab'), { recursive: true })
    await writeFile(join(data, 'files/ab/x'), '')
    expect(await found()).toEqual([])
    await chown(join(data, 'files/ab/x'), 12_345, 12_345)
    expect(await found()).toEqual(['owners: fail'])
  })

  test('what restores left behind', async () => {
    await mkdir(join(data, 'restoring-0a1b2c'))
    expect(await found()).toEqual(['leftovers: warn'])
    await rm(join(data, 'restoring-0a1b2c'), { recursive: true })
    await mkdir(join(data, 'before-restore-20260101t000000z'))
    expect(await found()).toEqual(['leftovers: warn'])
  })

  test('a certificate and a key that do not belong together', async () => {
    const [one, two] = [await makePair('one'), await makePair('two')]
    const files = (cert: string, key: string) => ({ REEVE_TLS: 'files', REEVE_TLS_CERT: cert, REEVE_TLS_KEY: key })
    expect(await found(files(one.cert, one.key))).toEqual([])
    expect(await found(files(one.cert, two.key))).toEqual(['key pair: fail'])
  })

  test('an address with https and no proxy named', async () => {
    const env = { REEVE_PUBLIC_URL: 'https://reeve.example.com', REEVE_TLS: 'off' }
    expect(await found(env)).toEqual(['proxy: warn'])
    expect(await found({ ...env, REEVE_TRUST_PROXY: '127.0.0.1' })).toEqual([])
  })

  test('a key that is not the one of the database, and a backup that is gone', async () => {
    const service = closing.use(await startProcess())
    await service.as('admin')
    const env = { REEVE_DATA_DIR: service.dataFolder }
    const file = join(root, 'taken.zip')
    expect(await runCommand(env, ['backup', file, '--no-verify'])).toMatchObject({ code: 0 })
    const status = async (name: string) => {
      const { checks } = (await runCommand(env, ['doctor', '--json'])).json<{
        checks: { name: string; status: string; message: string }[]
      }>()
      return checks.find((check) => check.name === name)
    }
    expect(await status('backup')).toMatchObject({ status: 'ok' })
    const isolation = join(service.dataFolder, 'modules/isolation.json')
    const found = await until(async () => JSON.parse(await readFile(isolation, 'utf8').catch(() => 'null')) as unknown)
    if (isolationWorks) {
      expect(found).toMatchObject({ level: 'isolated' })
      expect(await status('isolation')).toMatchObject({ status: 'ok' })
      // As under a unit that forbids what this shell may do.
      await writeFile(isolation, JSON.stringify({ at: 'noon', level: 'guarded', reason: 'The unit forbids it.' }))
      const message = expect.stringMatching(/at noon, guarded\. The unit forbids it\.$/) as string
      expect(await status('isolation')).toMatchObject({ status: 'warn', message })
    }
    await rm(file)
    expect(await status('backup')).toMatchObject({ status: 'warn', message: expect.stringContaining(file) as string })
    await service.kill()
    await writeFile(join(service.dataFolder, 'secret.key'), `${'cd'.repeat(32)}\n`, { mode: 0o600 })
    expect(await status('key')).toMatchObject({ status: 'fail' })
  }, 120_000)
})
