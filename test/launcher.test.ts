import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startProgram } from './stage/program-copy.ts'
import { ROOT } from './stage/sources/source-graph.ts'
import { until } from './stage/wait.ts'

let folder: string
afterEach(() => rm(folder, { recursive: true, force: true }))

/** In the place of npm: installs three packages of the lock file, and never comes to an end. */
const SLOW_NPM = `
  import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const needed = Object.keys(packages).filter((path) => path && !packages[path].dev && !packages[path].os && !packages[path].cpu)
  for (const path of needed.slice(0, 3)) {
    mkdirSync(path, { recursive: true })
    writeFileSync(path + '/package.json', '{}')
  }
  writeFileSync('npm.pid', String(process.pid))
  setInterval(() => undefined, 1000)
`

test('the installation tells how far it is, and SIGTERM ends npm and gives the lock back', async () => {
  folder = await mkdtemp(join(tmpdir(), 'reeve-install-'))
  for (const name of ['scripts', 'package.json', 'package-lock.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true })
  const npm = join(folder, 'npm-cli.js')
  await writeFile(npm, SLOW_NPM)
  const { child, ended, output } = startProgram([join(folder, 'scripts/start.mjs')], { env: { npm_execpath: npm } })
  await until(() => existsSync(join(folder, 'npm.pid')), { what: 'npm runs', timeout: 60_000 })
  const pid = Number(readFileSync(join(folder, 'npm.pid'), 'utf8'))
  await until(() => /Installing packages … 3 of \d{3} packages, \d+ s/.test(output()), {
    what: 'it tells how far it is',
    timeout: 30_000,
  })
  expect(existsSync(join(folder, 'dist/.install.lock'))).toBe(true)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 143, stdout: '' })
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(existsSync(join(folder, 'dist/.install.lock'))).toBe(false)
}, 120_000)
