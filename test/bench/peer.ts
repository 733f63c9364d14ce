import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A program of others, installed for one measurement. Dispose it: its folder is removed. */
export interface Peer extends Disposable {
  /** Where `node_modules` is. */
  readonly folder: string
}

/**
 * Installs a package of the registry into a temporary folder, `name@version`, without running what it brings. Returns
 * the reason when that is not possible.
 */
export function installPeer(name: string): Peer | string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-peer-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, stderr, error } = spawnSync('npm', ['install', '--prefix', folder, ...options, name], {
    encoding: 'utf8',
    timeout: 180_000,
  })
  if (status === 0) return { folder, [Symbol.dispose]: remove }
  remove()
  return `not measured: ${error?.message ?? stderr.trim().split('\n')[0] ?? 'it could not be installed'}`
}
