import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')
/** The folders that hold source, the project’s own included. */
export const ROOTS = ['contract', 'server', 'builtin', 'sdk', 'web', 'test', 'scripts', '']

export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string
  readonly lines: number
  /** Paths of our own files that it imports, types included. */
  readonly imports: readonly string[]
  /** Names of the packages that it imports (`node` for every `node:` module). */
  readonly packages: readonly string[]
  /** Does nothing but hand on what other files export. */
  readonly barrel: boolean
}

const SOURCE = /\.(ts|tsx|mjs|css)$/
/** What authors of modules get to copy: programs of their own, with packages of their own. */
const NOT_OURS = ['sdk/kit']
const IMPORT =
  /(?:^|[\s;])(?:import|export)\s(?:[^'"();]*?\sfrom\s*)?['"]([^'"\n]+)['"]|\b(?:import|require)\(\s*['"]([^'"\n]+)['"]\s*\)|@import\s+['"]([^'"\n]+)['"]|url\(['"]?(@[^'")\n]+)['"]?\)/g
const REEXPORT = /^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s*(?:as\s+\w+\s+)?from\s+['"][^'"\n]+['"];?$/gm
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

function pathsUnder(folder: string): string[] {
  const absolute = join(ROOT, folder)
  if (!existsSync(absolute)) return []
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory())
      return folder === '' || entry.name === 'node_modules' || NOT_OURS.includes(path) ? [] : pathsUnder(path)
    return SOURCE.test(entry.name) ? [path] : []
  })
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node'
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const code = text.replace(COMMENT, '')
  const found = [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
  // A template in a test writes sources of its own.
  const specifiers = found.filter((specifier) => !specifier.includes('${'))
  const own = specifiers.filter((specifier) => specifier.startsWith('.'))
  const foreign = specifiers.filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('/'))
  return {
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports: own.map((specifier) => posix.join(dirname(path), specifier.replace(/\?.*$/, ''))),
    packages: [...new Set(foreign.map(packageName))],
    barrel: code.trim() !== '' && code.replace(REEXPORT, '').trim() === '',
  }
}

/** Every source file under `folders`; the empty name means the files of the root itself. */
export function readSources(folders: readonly string[]): SourceFile[] {
  return folders.flatMap(pathsUnder).map(readSource)
}

/** The import cycles among `files`, each as the paths on its way; found by depth-first search. */
export function findCycles(files: readonly Pick<SourceFile, 'path' | 'imports'>[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const finished = new Set<string>()
  const cycles: string[][] = []
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path])
    if (trail.includes(path) || finished.has(path)) return
    for (const next of byPath.get(path)?.imports ?? []) visit(next, [...trail, path])
    finished.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}
