import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileCache } from './stage/compile-cache.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProgram, whyNotAsNobody } from './stage/program-copy.ts'
import { ROOT } from './stage/sources/source-graph.ts'

const MAIN = join(ROOT, 'server/main.ts')
const CLI = join(ROOT, 'server/cli/main.ts')

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reeve-fails-'))
  await chmod(scratch, 0o755)
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** What a start says that ends by itself with exit code 1; it must be one line. */
async function sentenceOf(env: Record<string, string>, { asNobody = false } = {}): Promise<string> {
  const folder = join(scratch, 'data')
  await rm(folder, { recursive: true, force: true })
  const settings = { REEVE_PORT: '0', REEVE_DATA_DIR: folder, ...env }
  const { ended } = startProgram([MAIN], { env: asNobody ? settings : { ...compileCache, ...settings }, asNobody })
  const { code, stderr } = await ended
  expect({ env, code, stderr }).toEqual({
    env,
    code: 1,
    stderr: expect.stringMatching(/^reeve: [A-Z/][^\n]+\.\n$/) as string,
  })
  return stderr
}

describe('a start that fails says why in one line', () => {
  test('for the address to listen on', async () => {
    const taken = createServer()
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
    const { port } = taken.address() as { port: number }
    expect(await sentenceOf({ REEVE_PORT: String(port) })).toMatch(
      new RegExp(`Another program is listening on 127\\.0\\.0\\.1:${port}.*REEVE_PORT`),
    )
    taken.close()
    expect(await sentenceOf({ REEVE_HOST: '192.0.2.1', REEVE_TLS: 'off' })).toMatch(
      /does not have the address 192\.0\.2\.1.*REEVE_HOST/,
    )
    expect(await sentenceOf({ REEVE_HOST: 'no-such-host.invalid', REEVE_TLS: 'off' })).toMatch(
      /REEVE_HOST is no-such-host\.invalid/,
    )
  }, 120_000)

  test('for settings that cannot be used', async () => {
    expect(await sentenceOf({ REEVE_SECRET_KEY: 'abc' })).toMatch(/REEVE_SECRET_KEY.*64 hexadecimal digits/)
    expect(await sentenceOf({ REEVE_ADMIN_USERNAME: 'root', REEVE_ADMIN_PASSWORD: 'password' })).toMatch(
      /REEVE_ADMIN_PASSWORD were refused/,
    )
    expect(await sentenceOf({ REEVE_ADMIN_USERNAME: 'a b', REEVE_ADMIN_PASSWORD: 'x' })).toMatch(
      /REEVE_ADMIN_USERNAME may have/,
    )
    expect(await sentenceOf({ REEVE_PORT: '99999' })).toMatch(/REEVE_PORT is not usable/)
  }, 120_000)

  test('for a data folder that cannot be one', async () => {
    const file = join(scratch, 'file')
    await writeFile(file, '')
    expect(await sentenceOf({ REEVE_DATA_DIR: '/proc/x' })).toMatch(
      /data folder \/proc\/x cannot be used: that file system takes no folders/,
    )
    expect(await sentenceOf({ REEVE_DATA_DIR: file })).toMatch(
      /data folder .*file cannot be used: a part of the path is a file/,
    )
    expect(await sentenceOf({ REEVE_DATA_DIR: join(file, 'below') })).toMatch(
      /cannot be used: a part of the path is a file/,
    )
    const damaged = join(scratch, 'damaged')
    await mkdir(damaged)
    await writeFile(join(damaged, 'secret.key'), 'abc\n')
    expect(await sentenceOf({ REEVE_DATA_DIR: damaged })).toMatch(
      /secret key \(secret\.key in the data folder\) must be/,
    )
    await rm(join(damaged, 'secret.key'))
    await writeFile(join(damaged, 'reeve.db'), 'no database, but long enough to look like one'.repeat(100))
    await rm(join(damaged, 'reeve.db-wal'), { force: true })
    expect(await sentenceOf({ REEVE_DATA_DIR: damaged })).toMatch(
      /embedded database cannot be used: the file is no database/,
    )
  }, 120_000)

  test('for a PostgreSQL that is away, and never with its password', async () => {
    const url = 'postgres://reeve:hidden-word@127.0.0.1:1/reeve'
    expect(await sentenceOf({ REEVE_DATABASE_URL: url })).toMatch(
      /^(?!.*hidden-word).*PostgreSQL \(127\.0\.0\.1:1\/reeve\).*nothing listens/,
    )
    const { code, stderr } = await startProgram([CLI, 'backup'], {
      env: { REEVE_DATABASE_URL: url, REEVE_DATA_DIR: scratch },
    }).ended
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^reeve: PostgreSQL \(127\.0\.0\.1:1\/reeve\)[^\n]+\n$/)])
  }, 120_000)

  const postgres = databases.find(({ name }) => name === 'postgres')
  test.runIf(postgres)(
    'for a PostgreSQL that does not let it in',
    async () => {
      const address = new URL(await postgres!.url())
      address.pathname = '/no_such_database'
      expect(await sentenceOf({ REEVE_DATABASE_URL: address.href })).toMatch(
        /no_such_database\) cannot be used: there is no database/,
      )
    },
    120_000,
  )

  test('for an argument', async () => {
    for (const words of [[join(ROOT, 'scripts/start.mjs')], [join(ROOT, 'scripts/reeve.mjs'), 'start']]) {
      const { code, stderr } = await startProgram([...words, '--port', '80'], { env: { REEVE_DATA_DIR: scratch } })
        .ended
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^reeve: start takes no arguments \(--port\)[^\n]+\n$/)])
    }
  }, 120_000)

  const why = whyNotAsNobody()
  test.skipIf(why !== null)(
    `for an ordinary account${why === null ? '' : ` (skipped: ${why})`}`,
    async () => {
      const closed = join(scratch, 'closed')
      await mkdir(closed, { mode: 0o755 })
      expect(
        await sentenceOf(
          { REEVE_DATA_DIR: closed },
          {
            asNobody: true,
          },
        ),
      ).toMatch(/closed cannot be used: this account may not write/)
      expect(
        await sentenceOf(
          { REEVE_DATA_DIR: join(closed, 'below') },
          {
            asNobody: true,
          },
        ),
      ).toMatch(/cannot be used: this account may not/)
      const open = join(scratch, 'open')
      await mkdir(open)
      await chmod(open, 0o777)
      await writeFile(join(open, 'secret.key'), 'x', { mode: 0o600 })
      expect(
        await sentenceOf(
          { REEVE_DATA_DIR: open },
          {
            asNobody: true,
          },
        ),
      ).toMatch(/secret\.key cannot be used: this account may not/)
      await rm(join(open, 'secret.key'))
      if (Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')) <= 80) return
      expect(
        await sentenceOf(
          { REEVE_DATA_DIR: open, REEVE_PORT: '80' },
          {
            asNobody: true,
          },
        ),
      ).toMatch(/may not listen on 127\.0\.0\.1:80/)
    },
    60_000,
  )

  test.skipIf(process.getuid?.() !== 0)(
    'for a full disk',
    async ({ skip }) => {
      const disk = join(scratch, 'disk')
      await mkdir(disk)
      const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
      if (status !== 0) return skip('this machine does not let us mount')
      try {
        expect(await sentenceOf({ REEVE_DATA_DIR: join(disk, 'data') })).toMatch(/disk is full/)
      } finally {
        spawnSync('umount', [disk])
      }
    },
    60_000,
  )
})
