/**
 * Runs npm under the Node we choose, so that npm evaluates packages for that Node and not for the system's.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { Refusal } from './report.mjs'
import { collect } from './run.mjs'

/** Path of npm-cli.js: of the npm that started us, the one next to Node, or the first on PATH. */
function findNpm() {
  const candidates = [
    process.env.npm_execpath,
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ]
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const link = join(folder, 'npm')
    if (folder && existsSync(link)) candidates.push(realpathSync(link))
  }
  const found = candidates.find((path) => path && basename(path) === 'npm-cli.js' && existsSync(path))
  if (!found) throw new Refusal('npm is missing: install it (it comes with Node), then start again.')
  return found
}

const EXPLANATIONS = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET/,
    'the package registry cannot be reached; check the network or npm’s proxy and registry settings',
  ],
  [/ENOSPC/, 'the disk is full'],
  [/EACCES|EPERM|EROFS/, 'the folder of Reeve is not writable for this user'],
  [/EINTEGRITY/, 'a downloaded package does not have the expected content; try again, or check the registry'],
  [/E404|ETARGET/, 'the package registry lacks a package that Reeve needs'],
]

/** Reports how many of the packages that this machine needs are present, because npm is silent until the end. */
function countInstalled(folder, set) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  const fits = (list, value) => !list || list.includes(value)
  const paths = Object.entries(packages).filter(
    ([path, { dev, os, cpu }]) =>
      path !== '' && !(dev && set === 'production') && fits(os, process.platform) && fits(cpu, process.arch),
  )
  return () => {
    const there = paths.filter(([path]) => existsSync(join(folder, path, 'package.json'))).length
    return `${there} of ${paths.length} packages`
  }
}

/**
 * Installs in `folder` what its package-lock.json names, under `runtime` (see runtime.mjs): for `production`, or the
 * `full` set with what tests and checks need. Install scripts never run. A failure becomes one sentence after the first
 * lines of npm's output.
 */
export async function installPackages(folder, runtime, set, label) {
  // Not `npm ci`: it fails when the registry lacks optional packages for other platforms. Without --save the lock file
  // still applies. The folder is named because the npm that started us passes on its own settings.
  const fixed = ['install', '--no-save', '--prefix', folder, '--ignore-scripts', '--include=optional']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // Explicit, because NODE_ENV=production would omit the tests' packages.
  const options = set === 'full' ? ['--include=dev'] : ['--omit=dev']
  const args = [findNpm(), ...fixed, ...options, ...quiet]
  const progress = countInstalled(folder, set)
  const { code, output } = await collect(runtime.node, args, { cwd: folder, env: runtime.env, label, progress })
  if (code === 0) return
  const reason = EXPLANATIONS.find(([pattern]) => pattern.test(output))?.[1] ?? `npm ended with code ${code}`
  throw new Refusal(`${output.trim().split('\n').slice(0, 12).join('\n')}\nreeve: ${label} failed: ${reason}.`)
}
