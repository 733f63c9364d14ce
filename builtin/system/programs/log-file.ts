import { posix } from 'node:path'
import type { Machine, ReadProblem } from '../../../server/modules/machines.ts'

const ROOT = '/var/log'
const READ_LIMIT = 1024 * 1024
/** A search reads more of the file than it shows. */
const SEARCH_LIMIT = 16 * 1024 * 1024
const LINE_LIMIT = 2000
/** How many entries below the folder are looked through for files to name, and how many of them are named. */
const LOOKED_AT = 20_000
const NAMED = 200

/**
 * The last lines of a text file below /var/log, oldest first. No symbolic link in any part of the path is followed.
 * @throws {Error} with a sentence when the name leads elsewhere or there is no such text file
 */
export async function readLogFile(
  machine: Machine,
  query: { readonly name: string; readonly lines: number; readonly contains: string | undefined },
  signal: AbortSignal,
): Promise<{ lines: string[]; path: string; searched_whole: boolean }> {
  const { name, lines, contains } = query
  if (name.includes('\0')) throw new Error(problemSentence(name, 'outside'))
  const below = name.startsWith(`${ROOT}/`) ? name.slice(ROOT.length + 1) : name
  const options = { max: contains === undefined ? READ_LIMIT : SEARCH_LIMIT, tail: true, within: ROOT }
  const file = (await machine.readFiles([below], options, signal)).get(below) ?? 'missing'
  if (typeof file === 'string') throw new Error(problemSentence(name, file))
  if (file.bytes.includes(0) || /\.(gz|xz|bz2|zst)$/.test(name)) throw new Error(`${name} is not a text file.`)
  const all = file.bytes.toString().split('\n')
  if (all.at(-1) === '') all.pop()
  // The first line is incomplete if reading began in the middle of the file.
  if (file.cut) all.shift()
  const searched = contains?.toLowerCase()
  const found = all.filter((line) => searched === undefined || line.toLowerCase().includes(searched))
  return {
    lines: found.slice(-lines).map((line) => line.slice(0, LINE_LIMIT)),
    path: posix.join(ROOT, below),
    searched_whole: !file.cut,
  }
}

/** Names of the plain files below /var/log, at most 200. */
export async function listLogFiles(machine: Machine, signal: AbortSignal): Promise<string[]> {
  const entries = await machine.listDir(ROOT, { max: LOOKED_AT, deep: true }, signal)
  if (typeof entries === 'string') return []
  return entries
    .filter((entry) => entry.kind === 'file' && !/\.(gz|xz|bz2|zst|journal)$/.test(entry.name))
    .map((entry) => entry.name)
    .sort()
    .slice(0, NAMED)
}

function problemSentence(name: string, problem: ReadProblem): string {
  if (problem === 'outside') return `Only files below ${ROOT} can be read.`
  if (problem === 'not_file') return `${name} is not a plain file.`
  return `${name} cannot be read: ${REASONS[problem]}.`
}

const REASONS: Readonly<Record<Exclude<ReadProblem, 'outside' | 'not_file'>, string>> = {
  missing: 'there is no such file',
  not_directory: 'there is no such file',
  link: 'it is reached by a symbolic link, which is not followed',
  denied: "this service's user may not read it",
  failed: 'the system does not let it be read',
}
