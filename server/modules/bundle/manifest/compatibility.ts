import { allOf } from '../../../kernel/joined-sentences.ts'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { launchTemplate } from './launch-template.ts'
import type { Manifest } from './manifest.ts'
import type { NativeFile } from '../archive/unpacked-bundle.ts'
import { inVersionRange } from './version-range.ts'

export interface Compatibility {
  readonly ok: boolean
  /** Why it cannot run here, in a sentence; null when it can. */
  readonly problem: Sentence | null
}

/** The machine to judge for. */
export interface Machine {
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** Version of Node without its `v`. */
  readonly node: string
}

const HERE: Machine = { platform: process.platform, arch: process.arch, node: process.versions.node }
const FORMATS: Partial<Record<NodeJS.Platform, NativeFile['format']>> = { linux: 'elf', darwin: 'macho', win32: 'pe' }

/**
 * Whether a bundle can run on this machine at all. A platform that it does not name is not an obstacle for `node`,
 * `python` and `uv` (`reviewBundle` warns). Without `natives`, the machine code of a `binary` bundle is not checked.
 */
export function compatibility(
  manifest: Manifest,
  files: Readonly<Record<string, string>>,
  natives?: readonly NativeFile[],
  machine: Machine = HERE,
): Compatibility {
  const problem =
    (manifest.server.type === 'binary' ? binaryProblem(manifest, files, natives, machine) : null) ??
    nodeProblem(manifest, machine)
  return { ok: problem === null, problem }
}

/** Platforms that a bundle is made for; null when it does not say. */
export function namedPlatforms(manifest: Manifest): readonly string[] | null {
  const platforms = manifest.compatibility?.platforms ?? []
  return platforms.length === 0 ? null : platforms
}

function binaryProblem(
  manifest: Manifest,
  files: Readonly<Record<string, string>>,
  natives: readonly NativeFile[] | undefined,
  { platform, arch }: Machine,
): Sentence | null {
  const named = namedPlatforms(manifest)
  const only = say`It is a program for ${allOf(named ?? [])}; this machine runs ${platform}.`
  if (natives === undefined) return named === null || named.includes(platform) ? null : only
  const started = bundlePath(launchTemplate(manifest, platform).command)
  // It isn't machine code but a script in the bundle, or it is a program of this machine.
  if (started !== null && Object.hasOwn(files, started) && !natives.some(({ path }) => path === started))
    return named === null || named.includes(platform) ? null : only
  if (
    natives.some(
      (native) => native.format === FORMATS[platform] && (native.arch === arch || native.arch === 'universal'),
    )
  )
    return null
  if (natives.length === 0) return named === null || named.includes(platform) ? null : only
  const kinds = [...new Set(natives.map((native) => `${native.format} ${native.arch}`))].sort().slice(0, 5)
  return say`It holds no program for this machine (${platform} ${arch}), only: ${kinds.join(', ')}.`
}

function bundlePath(command: string): string | null {
  return command.startsWith('${__dirname}/') ? command.slice('${__dirname}/'.length) : null
}

function nodeProblem(manifest: Manifest, { node }: Machine): Sentence | null {
  const range = manifest.compatibility?.runtimes?.node
  if (manifest.server.type !== 'node' || range === undefined) return null
  return inVersionRange(node, range) === false ? say`It needs Node ${range}; this machine runs ${node}.` : null
}
