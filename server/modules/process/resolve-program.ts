import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { visible } from '../../kernel/text.ts'
import type { Launch } from '../launch.ts'
import { isProgram, type Findings } from './findings.ts'
import { isNode } from './isolation-ladder.ts'

const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|nix\/store|gnu\/store)\//

/**
 * Path of the program that a command means: our own Node, a file of the bundle, or a program of the system, where those
 * of the distribution come first. @throws {Error} with a sentence when it is not there.
 */
export function resolveProgram(launch: Launch, { node, path: folders }: Pick<Findings, 'node' | 'path'>): string {
  const { command } = launch
  if (isNode(command, node)) return node
  if (command.includes('/')) {
    const path = isAbsolute(command) ? command : resolve(launch.bundleFolder, command)
    if (isProgram(path)) return path
    throw new Error(`The program ${visible(command)} is not there, or may not be run.`)
  }
  const path = findSystemProgram(folders, ...(command === 'python' ? ['python', 'python3'] : [command]))
  if (path !== null) return path
  throw new Error(`The program ${visible(command)} is not installed on this machine.`)
}

/** A program of the distribution by one of these names, the first if it can be; else any in PATH. */
export function findSystemProgram(folders: readonly string[], ...names: readonly string[]): string | null {
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isProgram)
  return places.find((path) => SYSTEM.test(real(path))) ?? places[0] ?? null
}

/** What a sandbox has to show so that the program runs in it: nothing for one of the system or of the bundle. */
export function neededFor(program: string, launch: Launch, node: string): string[] {
  // It is one file.
  if (program === node) return [node]
  const paths = [...new Set([program, real(program)])].filter((path) => !SYSTEM.test(path) && !inside(path, launch))
  return [...new Set(paths.flatMap((path) => [path, ...installation(path, launch)]))]
}

/** `/opt/x` for `/opt/x/bin/program`: its libraries are there. Never a folder that holds more than an installation. */
function installation(program: string, launch: Launch): string[] {
  const folder = dirname(dirname(program))
  const holds = [homedir(), launch.bundleFolder, launch.dataFolder].some((path) => `${path}/`.startsWith(`${folder}/`))
  return basename(dirname(program)) !== 'bin' || dirname(folder) === '/' || holds ? [] : [folder]
}

function inside(path: string, launch: Launch): boolean {
  return [launch.bundleFolder, launch.dataFolder].some((folder) => path.startsWith(`${folder}/`))
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
