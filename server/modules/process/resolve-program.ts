import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { say } from '../../kernel/sentence.ts'
import { visible } from '../../kernel/text/plain-text.ts'
import type { Launch } from '../spec/launch.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { isProgram, type Findings } from '../../sandbox/findings.ts'
import { isNode } from './isolation-ladder.ts'

const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|nix\/store|gnu\/store)\//

/**
 * Path of the program that a command refers to: our own Node, a file in the bundle, or a program of the system, those
 * of the distribution first. @throws {ModuleProblem} when there is no such program
 */
export function resolveProgram(launch: Launch, { node, path: folders }: Pick<Findings, 'node' | 'path'>): string {
  const { command } = launch
  if (isNode(command, node)) return node
  if (command.includes('/')) {
    const path = isAbsolute(command) ? command : resolve(launch.bundleFolder, command)
    if (isProgram(path)) return path
    throw new ModuleProblem(say`The program ${visible(command)} does not exist or cannot be executed.`)
  }
  const path = findSystemProgram(folders, ...(command === 'python' ? ['python', 'python3'] : [command]))
  if (path !== null) return path
  throw new ModuleProblem(say`The program ${visible(command)} is not installed on this machine.`)
}

/** The first program of the distribution with one of these names, or else the first anywhere in PATH. */
export function findSystemProgram(folders: readonly string[], ...names: readonly string[]): string | null {
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name))).filter(isProgram)
  return places.find((path) => SYSTEM.test(real(path))) ?? places[0] ?? null
}

/** The paths that a sandbox must show for the program to run in it: none for a program of the system or the bundle. */
export function neededFor(program: string, launch: Launch, node: string): string[] {
  // Node is a single file.
  if (program === node) return [node]
  const paths = [...new Set([program, real(program)])].filter((path) => !SYSTEM.test(path) && !inside(path, launch))
  return [...new Set(paths.flatMap((path) => [path, ...installation(path, launch)]))]
}

/**
 * `/opt/x` for `/opt/x/bin/program`, because its libraries are there. Never a folder that holds more than one
 * installation.
 */
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
