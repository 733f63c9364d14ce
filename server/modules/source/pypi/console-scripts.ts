import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** What a console script calls. */
export interface Program {
  readonly module: string
  readonly attribute: string
}

/** The console scripts of packages, by the names of their folders `*.dist-info`. */
export async function programsIn(folder: string, infos: readonly string[]): Promise<Map<string, Program>> {
  const texts = infos.map((info) => readStart(join(folder, info, 'entry_points.txt')).catch(() => ''))
  return consoleScripts((await Promise.all(texts)).join('\n'))
}

const MOST_BYTES = 1024 * 1024
const LONGEST_LINE = 1000

/** As much of a file as lists of programs may have. */
async function readStart(file: string): Promise<string> {
  await using opened = await open(file)
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead)
}

function consoleScripts(text: string): Map<string, Program> {
  const found = new Map<string, Program>()
  let section = ''
  for (const whole of text.split('\n')) {
    // A longer one is none that names a program, and its spaces would be tried in every way.
    if (whole.length > LONGEST_LINE) continue
    const line = whole.trim()
    const heading = /^\[(.+)\]$/.exec(line)
    if (heading !== null) section = heading[1]!.trim()
    const [, name, value] = /^([\w.-]+)\s*=(.*)$/.exec(line) ?? []
    const program = section === 'console_scripts' && value !== undefined ? scriptOf(value) : null
    if (program !== null) found.set(name!, program)
  }
  return found
}

/** Reads `module:function`, with or without extras. */
export function scriptOf(text: string): Program | null {
  if (text.length > LONGEST_LINE) return null
  const [, module, attribute] = /^([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)\s*(?:\[.*\])?$/.exec(text.trim()) ?? []
  return module === undefined || attribute === undefined ? null : { module, attribute }
}
