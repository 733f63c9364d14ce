import { spawnSync } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HELPER, type HelperFiles, readHelperFiles } from '../../hosts/reeve-op/shipped-files.ts'
import { CommandProblem } from '../command.ts'

/** A file or folder of the installation. `text` null: a folder. `kept`: what is there stays as it is. */
interface Part {
  readonly path: string
  readonly mode: number
  readonly text: string | null
  readonly kept?: boolean
}

function parts(files: HelperFiles, group: string): Part[] {
  const socketUnit = files.socketUnit.replace(/^SocketGroup=.*$/m, `SocketGroup=${group}`)
  return [
    { path: HELPER.state, mode: 0o700, text: null },
    { path: HELPER.jobs, mode: 0o700, text: null },
    { path: HELPER.backup, mode: 0o700, text: null },
    { path: HELPER.list, mode: 0o644, text: files.list, kept: true },
    { path: HELPER.program, mode: 0o755, text: files.program },
    { path: HELPER.serviceUnit, mode: 0o644, text: files.serviceUnit },
    { path: HELPER.socketUnit, mode: 0o644, text: socketUnit },
  ]
}

/** What is missing, different, or not root's alone: a sentence for each. Changes nothing. */
export async function helperDifferences(group: string | null = null): Promise<string[]> {
  const files = await readHelperFiles()
  const found = await Promise.all(parts(files, group ?? (await installedGroup())).map(difference))
  return found.filter((sentence) => sentence !== null)
}

/** The group that the installed socket is for, else the package's. */
async function installedGroup(): Promise<string> {
  const unit = await readFile(HELPER.socketUnit, 'utf8').catch(() => '')
  return /^SocketGroup=(\S+)$/m.exec(unit)?.[1] ?? 'reeve'
}

async function difference({ path, mode, text, kept }: Part): Promise<string | null> {
  const there = await lstat(path).catch((error: NodeJS.ErrnoException) => error)
  // Others than root cannot look into the state of reeve-op.
  if (there instanceof Error) return there.code === 'EACCES' ? null : `${path} is missing.`
  if (text === null ? !there.isDirectory() : !there.isFile()) return `${path} is something else.`
  if (there.uid !== 0) return `${path} does not belong to root.`
  if (kept === true ? (there.mode & 0o022) !== 0 : (there.mode & 0o7777) !== mode)
    return `${path} has the mode ${(there.mode & 0o7777).toString(8)} instead of ${mode.toString(8)}.`
  if (text === null || kept === true || (await readFile(path, 'utf8').catch(() => null)) === text) return null
  return `${path} is not as this version ships it.`
}

/** Makes everything as it should be, and says what was done. @throws {CommandProblem} */
export async function installHelper(named: string | null): Promise<string[]> {
  const group = named ?? (await installedGroup())
  if (spawnSync('getent', ['group', group]).status !== 0)
    throw new CommandProblem(`There is no group ${group}. Name the one of the service's account with --group.`)
  const done: string[] = []
  for (const part of parts(await readHelperFiles(), group)) {
    const before = await difference(part)
    if (before === null) continue
    await put(part)
    done.push(`${part.path} is as it should be now (before: ${before})`)
  }
  if (await systemdRuns()) {
    if (done.length > 0) must('systemctl', ['daemon-reload'])
    must('systemctl', ['enable', '--quiet', '--now', 'reeve-op.socket'])
    if (done.some((line) => line.startsWith(HELPER.socketUnit))) must('systemctl', ['restart', 'reeve-op.socket'])
    done.push('reeve-op.socket listens on /run/reeve-op.sock.')
  } else {
    done.push('systemd does not run here, so nothing listens: with it, systemctl enable --now reeve-op.socket.')
  }
  return [...done, `What may be done says ${HELPER.list}; a change of it counts at once. Then: reeve doctor.`]
}

/** Written beside its place and renamed: the program may be running. */
async function put({ path, mode, text, kept }: Part): Promise<void> {
  const there = await lstat(path).catch(() => null)
  if (there !== null && (text === null ? !there.isDirectory() : !there.isFile()))
    throw new CommandProblem(`${path} is neither what it should be nor missing. Look at it, and remove it.`)
  if (text === null) {
    await mkdir(path, { recursive: true, mode })
  } else if (kept !== true || there === null) {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await chown(`${path}.new`, 0, 0)
    await chmod(`${path}.new`, mode)
    await rename(`${path}.new`, path)
  }
  await chown(path, 0, 0)
  await chmod(path, mode)
}

/** Removes all but the list and the backups, and says what it kept. @throws {CommandProblem} */
export async function removeHelper(): Promise<string[]> {
  const done: string[] = []
  if ((await systemdRuns()) && (await stat(HELPER.socketUnit).catch(() => null)) !== null)
    must('systemctl', ['disable', '--quiet', '--now', 'reeve-op.socket'])
  for (const path of [HELPER.socketUnit, HELPER.serviceUnit, HELPER.program, HELPER.jobs]) {
    if ((await lstat(path).catch(() => null)) === null) continue
    await rm(path, { recursive: true })
    done.push(`${path} is removed.`)
  }
  if (await systemdRuns()) must('systemctl', ['daemon-reload'])
  const backups = await readdir(HELPER.backup).catch(() => [])
  if (backups.length === 0) await rm(HELPER.state, { recursive: true, force: true })
  else done.push(`${HELPER.state} stays, with what files contained before they were changed.`)
  if ((await lstat(HELPER.list).catch(() => null)) !== null) done.push(`${HELPER.list} stays: it is yours.`)
  return done.length === 0 ? ['There was nothing to remove.'] : done
}

async function systemdRuns(): Promise<boolean> {
  return (await stat('/run/systemd/system').catch(() => null)) !== null
}

function must(command: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' })
  if (status !== 0) throw new CommandProblem(`${command} ${words.join(' ')} failed: ${error?.message ?? stderr.trim()}`)
}
