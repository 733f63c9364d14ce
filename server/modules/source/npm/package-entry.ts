import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { say } from '../../../kernel/sentence.ts'
import { pathProblem } from '../../bundle/archive/entry-path.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { SourceError } from '../source-error.ts'

const Text = z.string().optional().catch(undefined)
const Words = z.record(z.string(), z.string()).optional().catch(undefined)

/** What is used of a `package.json`; what is of another form counts as missing. */
const PackageJson = z.looseObject({
  description: Text,
  license: Text,
  homepage: Text,
  author: z
    .union([z.string(), z.looseObject({ name: z.string() })])
    .optional()
    .catch(undefined),
  bin: z
    .union([z.string(), z.record(z.string(), z.string())])
    .optional()
    .catch(undefined),
  engines: Words,
  scripts: Words,
})
export type PackageJson = z.infer<typeof PackageJson>

/** @throws {SourceError} when the package has none that can be read */
export async function readPackageJson(folder: string, name: string): Promise<PackageJson> {
  try {
    const text = await readFile(join(folder, 'package.json'), 'utf8')
    return PackageJson.parse(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch (error) {
    throw new SourceError('source_refused', say`The package ${name} has no package.json that can be read.`, {
      cause: error,
    })
  }
}

/** What a package would run while it is installed. It is never run. */
export function installScripts({ scripts = {} }: PackageJson): string[] {
  return ['preinstall', 'install', 'postinstall'].filter((script) => Object.hasOwn(scripts, script))
}

/**
 * The file that a package starts by its name: its only program, the one of its own name, or the one asked for.
 * @throws {SourceError} when there is none, several and none of that name, or one that is not for Node
 */
export async function entryOf(
  folder: string,
  { name, bin }: { readonly name: string; readonly bin: PackageJson['bin'] },
  wanted?: string,
): Promise<string> {
  const own = name.replace(/^@[^/]+\//, '')
  const programs = typeof bin === 'string' ? { [own]: bin } : (bin ?? {})
  const names = Object.keys(programs)
  const picked = wanted ?? (names.length === 1 ? names[0]! : own)
  if (!Object.hasOwn(programs, picked)) {
    if (names.length === 0)
      throw new SourceError('source_refused', say`The package ${name} has no program that could be started.`)
    throw new SourceError(
      'source_refused',
      say`The package ${name} has several programs, and none is named ${shownText(picked)}: ${shownText(names.join(', '), 300)}.`,
    )
  }
  const path = programs[picked]!.replace(/^(?:\.\/)+/, '')
  for (const file of pathProblem(path) === null ? [path, `${path}.js`] : []) {
    const start = await firstLine(join(folder, file))
    if (start === null) continue
    if (start.startsWith('#!') ? /\bnode\b/.test(start) : /\.[cm]?js$/.test(file)) return file
    throw new SourceError('source_refused', say`The program ${shownText(picked)} of ${name} is not one for Node.`)
  }
  throw new SourceError('source_refused', say`The program ${shownText(picked)} of ${name} is not in the package.`)
}

async function firstLine(file: string): Promise<string | null> {
  try {
    await using handle = await open(file)
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(256), 0, 256, 0)
    return buffer.toString('latin1', 0, bytesRead).split('\n')[0]!
  } catch {
    return null
  }
}
