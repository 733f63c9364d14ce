import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a console script calls. */
export interface Program {
  readonly module: string
  readonly attribute: string
}

/** The console scripts of packages, by the names of their folders `*.dist-info`. */
export async function programsIn(folder: string, infos: readonly string[]): Promise<Map<string, Program>> {
  const texts = infos.map((info) => readFile(join(folder, info, 'entry_points.txt'), 'utf8').catch(() => ''))
  return consoleScripts((await Promise.all(texts)).join('\n'))
}

function consoleScripts(text: string): Map<string, Program> {
  const found = new Map<string, Program>()
  let section = ''
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[(.+)\]\s*$/.exec(line)
    if (heading !== null) section = heading[1]!.trim()
    const [, name, value] = /^\s*([\w.-]+)\s*=(.*)$/.exec(line) ?? []
    const program = section === 'console_scripts' && value !== undefined ? scriptOf(value) : null
    if (program !== null) found.set(name!, program)
  }
  return found
}

/** Reads `module:function`, with or without extras. */
export function scriptOf(text: string): Program | null {
  const [, module, attribute] = /^\s*([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)\s*(?:\[.*\])?\s*$/.exec(text) ?? []
  return module === undefined || attribute === undefined ? null : { module, attribute }
}
