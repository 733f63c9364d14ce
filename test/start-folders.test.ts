import type { ChildProcess } from 'node:child_process'
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileCache } from './stage/compile-cache.ts'
import { copyProgram, NOBODY, startProgram, whyNotAsNobody } from './stage/program-copy.ts'
import { until } from './stage/wait.ts'

let scratch: string
let program: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'reeve-start-'))
  await chmod(scratch, 0o755)
  program = join(scratch, 'é x % #1')
  await mkdir(program)
  await copyProgram(program)
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** Every file below `folder` with the time of its last change. */
async function listing(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(paths.map(async (path) => `${path} ${(await lstat(path)).mtimeMs}`))
}

/** Starts through the launcher; resolves with the address when it listens. */
async function start(dataFolder: string, options: { asNobody?: boolean; env?: Record<string, string> } = {}) {
  const started = startProgram([join(program, 'scripts/start.mjs')], {
    ...options,
    env: { REEVE_PORT: '0', REEVE_DATA_DIR: dataFolder, ...options.env },
  })
  const url = await until(
    () => {
      if (started.child.exitCode !== null) throw new Error(`The start failed:\n${started.output()}`)
      return /"url":"([^"]+)"/.exec(started.output())?.[1]
    },
    { what: 'it listens', timeout: 60_000 },
  )
  return { ...started, url }
}

/** What bounds the memory of the service that `launcher` runs: settings of its allocator, and flags. */
async function memorySettings(launcher: ChildProcess): Promise<string[]> {
  const task = `/proc/${launcher.pid}/task/${launcher.pid}/children`
  const served = (await readFile(task, 'utf8')).trim().split(' ')[0]
  const words = async (name: string) => (await readFile(`/proc/${served}/${name}`, 'utf8')).split('\0')
  const set = (await words('environ')).filter((word) => word.startsWith('MALLOC_')).sort()
  return [...set, ...(await words('cmdline')).filter((word) => word.includes('semi-space'))]
}

describe('a program folder and a data folder with a space, an é and signs of addresses in their names', () => {
  test('serve pages and the kit for authors, run built-in modules, and have a command line', async () => {
    const data = join(scratch, 'é d % #1')
    const before = await listing(program)
    const { child, ended, url, output } = await start(data, { env: { ...compileCache } })
    const page = await fetch(new URL('/setup', url))
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')])
    expect((await fetch(new URL('/readyz', url))).status).toBe(200)
    expect(await memorySettings(child)).toEqual([
      'MALLOC_ARENA_MAX=2',
      'MALLOC_TRIM_THRESHOLD_=131072',
      '--max-semi-space-size=16',
    ])
    const run = (...words: string[]) =>
      startProgram([join(program, 'server/cli/main.ts'), ...words], {
        env: { ...compileCache, REEVE_DATA_DIR: data, REEVE_PORT: '0' },
      }).ended
    expect(await run('setup-link')).toMatchObject({ code: 0, stdout: expect.stringContaining('/setup?token=') })
    expect(await run('module', 'validate', join(program, 'sdk/kit/examples/jobs'))).toMatchObject({
      code: 0,
      stderr: '',
    })
    child.kill('SIGTERM')
    expect({ ...(await ended), output: output() }).toMatchObject({ code: 0 })
    expect(await listing(program)).toEqual(before)
  }, 120_000)

  test('have a setup link although the service has only begun to make its database', async () => {
    const data = join(scratch, 'begun')
    await mkdir(data, { mode: 0o700 })
    await writeFile(join(data, 'reeve.lock'), '', { mode: 0o600 })
    const env = { ...compileCache, REEVE_DATA_DIR: data, REEVE_PORT: '0' }
    const asked = startProgram([join(program, 'server/cli/main.ts'), 'setup-link'], { env })
    await until(() => asked.output().includes('Waiting for the service'), { what: 'it waits', timeout: 60_000 })
    const { child, ended, output } = await start(data, { env: { ...compileCache } })
    expect(await asked.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('/setup?token=') })
    child.kill('SIGTERM')
    expect({ ...(await ended), output: output() }).toMatchObject({ code: 0 })
  }, 120_000)

  test('what bounds the memory can be set otherwise', async () => {
    const env = { MALLOC_ARENA_MAX: '4', MALLOC_TRIM_THRESHOLD_: '1048576', NODE_OPTIONS: '--max_semi_space_size=32' }
    const { child, ended, output } = await start(join(scratch, 'otherwise'), { env: { ...compileCache, ...env } })
    expect(await memorySettings(child)).toEqual(['MALLOC_ARENA_MAX=4', 'MALLOC_TRIM_THRESHOLD_=1048576'])
    child.kill('SIGTERM')
    expect({ ...(await ended), output: output() }).toMatchObject({ code: 0 })
  }, 120_000)
})

const why = whyNotAsNobody()
describe.skipIf(why !== null)(`as another account${why === null ? '' : ` (skipped: ${why})`}`, () => {
  test('a start of what is built writes nothing outside the data folder, which may be all that is writable', async () => {
    const data = join(scratch, 'nobody')
    await mkdir(data, { mode: 0o700 })
    await chown(data, NOBODY, NOBODY)
    for (let round = 0; round < 2; round++) {
      const { child, ended, url } = await start(data, { asNobody: true })
      expect((await fetch(new URL('/readyz', url))).status).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toMatchObject({ code: 0 })
    }
    // Compiled sources are kept where it may write.
    expect(await readdir(join(data, 'compile-cache'))).not.toEqual([])
  }, 120_000)
})
