/**
 * Runs npm's own program under the Node we choose, so that npm judges packages by that Node and not by the system's.
 */
import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { Refusal } from './report.mjs'
import { collect } from './run.mjs'

/** Path of npm-cli.js: of the npm that started us, of the one beside Node, or of the first one on PATH. */
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

/**
 * Installs in `folder` what its package-lock.json names, under `runtime` (see runtime.mjs). Install scripts never run.
 * A failure becomes one sentence after npm's own first lines.
 */
export async function installPackages(folder, runtime, options, label) {
  // Not `npm ci`: it refuses when the registry lacks optional packages of other platforms. Without --save the lock file
  // rules all the same. The folder is named because the npm that started us passes its own settings down.
  const fixed = ['install', '--no-save', '--prefix', folder, '--ignore-scripts', '--include=optional']
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const args = [findNpm(), ...fixed, ...options, ...quiet]
  const { code, output } = await collect(runtime.node, args, { cwd: folder, env: runtime.env, label })
  if (code === 0) return
  const reason = EXPLANATIONS.find(([pattern]) => pattern.test(output))?.[1] ?? `npm ended with code ${code}`
  throw new Refusal(`${output.trim().split('\n').slice(0, 12).join('\n')}\nreeve: ${label} failed: ${reason}.`)
}
