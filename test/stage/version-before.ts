import { spawnSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './sources/source-graph.ts'

/** The last version that knew one process only; once there is a release, its tag. */
const COMMIT = '7f198aab7b90441723b7be9376390520e0048f45'
const NEEDED = ['builtin', 'contract', 'help', 'sdk', 'server', 'package.json']
/** Packages, the runtime and the built pages are this version's: the version before runs with them. */
const LINKED = ['node_modules', 'runtime', 'dist']

/** Why the version before cannot be had; null when it can. */
export function whyNoVersionBefore(): string | null {
  const { status } = spawnSync('git', ['-C', ROOT, 'cat-file', '-e', `${COMMIT}^{commit}`], { stdio: 'ignore' })
  return status === 0 ? null : 'the history of this checkout does not go back to the version before'
}

/** The program of the version before, in an empty folder. */
export async function placeVersionBefore(folder: string): Promise<void> {
  const archive = spawnSync('git', ['-C', ROOT, 'archive', COMMIT, ...NEEDED], { maxBuffer: 256 * 1024 * 1024 })
  if (archive.status !== 0) throw new Error(`git archive: ${archive.stderr.toString('utf8')}`)
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout })
  if (unpacked.status !== 0) throw new Error(`tar: ${unpacked.stderr.toString('utf8')}`)
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
}
