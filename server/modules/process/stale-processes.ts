import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { bootId } from '../../kernel/boot-id.ts'
import { killTree, type TreeRoot } from './process-tree.ts'
import { readProcess } from './process-table.ts'

/** Prefix of a module's temporary folder; folders without it are never removed. */
const TEMPORARY_PREFIX = 'reeve-module-'

interface PidFile extends TreeRoot {
  /** Process ids mean nothing after a reboot. */
  readonly boot: string
  readonly service: { readonly pid: number; readonly started: string }
  readonly command?: NotedCommand
}

/** A command of a call, as its note names it: without arguments, which may contain secrets. */
export interface NotedCommand {
  readonly tool_call_id: string
  /** Name of the program. */
  readonly name: string
}

/** Prefix of this service's temporary folders, which identifies their creator however it ended. */
export function temporaryPrefix(): string {
  return `${TEMPORARY_PREFIX}${pidNamespace()}-${process.pid}-${readProcess(process.pid)?.started ?? ''}-`
}

/**
 * Number of the namespace in which this service's process ids mean something. A service in another one, such as another
 * container, may share the folder for temporary files: it looks dead from here, and its modules live in these folders.
 */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return '0'
  }
}

/** Removes temporary folders of services that ended before they could note their module. */
function sweepTemporary(): void {
  const own = pidNamespace()
  for (const name of readdirSync(tmpdir())) {
    const [, namespace, pid, started] = /^reeve-module-(\d+)-(\d+)-(\d+)-[A-Za-z0-9]{6}$/.exec(name) ?? []
    if (namespace !== own) continue
    const service = readProcess(Number(pid))
    if (service !== null && !service.zombie && service.started === started) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // It belongs to another account.
    }
  }
}

/**
 * Notes a started module or command in `folder`, for a later service to sweep. Returns the path, to be removed when the
 * process is gone.
 */
export function writePidFile(folder: string, name: string, root: TreeRoot, command?: NotedCommand): string {
  const content: PidFile = {
    ...root,
    ...(command && { command }),
    boot: bootId(),
    service: { pid: process.pid, started: readProcess(process.pid)?.started ?? '' },
  }
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}-${process.pid}-${root.pid}.json`)
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 })
  return path
}

/**
 * Ends what a service left behind that did not end properly, and removes the pid files of `folder`. Processes of a
 * service that is still running stay. Resolves with the number of modules that were still running.
 */
export async function sweepStale(folder: string): Promise<number> {
  // A module of a killed service may still be running in its folder, so noted modules are ended first.
  const swept = await sweepNotes(folder)
  sweepTemporary()
  return swept.filter(({ running }) => running).length
}

/** Ends the commands noted in `folder` by services that are gone, and removes the notes. Resolves with all of them. */
export async function sweepCommands(folder: string): Promise<(NotedCommand & { pid: number; running: boolean })[]> {
  const swept = await sweepNotes(folder)
  return swept.flatMap(({ file, running }) => (file.command ? [{ ...file.command, pid: file.pid, running }] : []))
}

/** `running`: some of its processes had not ended with their service. */
async function sweepNotes(folder: string): Promise<{ file: PidFile; running: boolean }[]> {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    names = []
  }
  const swept = await Promise.all(names.map((name) => sweepOne(join(folder, name))))
  return swept.flatMap((each) => each ?? [])
}

/** Null when the note is damaged or belongs to a service that is still running. */
async function sweepOne(path: string): Promise<{ file: PidFile; running: boolean } | null> {
  const file = parse(path)
  let running = false
  if (file !== null && file.boot === bootId()) {
    const service = readProcess(file.service.pid)
    if (service !== null && !service.zombie && service.started === file.service.started) return null
    running = (await killTree(file)) > 0
  }
  if (file !== null && file.temporary !== null) {
    const folder = dirname(file.temporary)
    const ours = dirname(folder) === tmpdir() && basename(folder).startsWith(TEMPORARY_PREFIX)
    if (ours) rmSync(folder, { recursive: true, force: true })
  }
  rmSync(path, { force: true })
  return file && { file, running }
}

function parse(path: string): PidFile | null {
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as PidFile
    const usable =
      Number.isInteger(file.pid) && file.pid > 1 && (file.temporary === null || typeof file.temporary === 'string')
    return usable && typeof file.started === 'string' && Number.isInteger(file.service.pid) ? file : null
  } catch {
    return null
  }
}
