import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { say } from '../../../kernel/sentence.ts'
import { jsonValue } from '../../../kernel/text/json-value.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { normal } from '../pypi/choose-wheels.ts'
import { type Program, scriptOf } from '../pypi/console-scripts.ts'
import { run } from '../pypi/run-pip.ts'
import { SourceError } from '../source-error.ts'

export interface UvProject {
  /** For this machine, as pip takes them. */
  readonly requirements: readonly string[]
  /** `name==version` of all that `uv.lock` has for this machine; null without one. */
  readonly constraints: readonly string[] | null
  /** The programs of the project itself. */
  readonly scripts: ReadonlyMap<string, Program>
  /** Whether `uv.lock` has a wheel of this digest for the package. */
  locks(wheel: { readonly name: string; readonly version: string; readonly sha256: string }): boolean
}

const PROJECT_BYTES = 1024 * 1024
const LOCK_BYTES = 16 * 1024 * 1024
const Texts = z.array(z.string().max(2000)).max(1000)
const Project = z.looseObject({
  project: z.looseObject({
    name: z.string(),
    'requires-python': z.string().max(200).optional(),
    dependencies: Texts.default([]),
    'optional-dependencies': z.record(z.string(), Texts).default({}),
    dynamic: Texts.default([]),
    scripts: z.record(z.string(), z.string()).default({}),
  }),
  tool: z
    .looseObject({ uv: z.looseObject({ sources: z.record(z.string(), z.unknown()).default({}) }).optional() })
    .optional(),
})
const Lock = z.looseObject({
  package: z
    .array(
      z.looseObject({
        name: z.string().max(200),
        version: z.string().max(100).optional(),
        source: z.looseObject({ registry: z.string().optional() }).default({}),
        'resolution-markers': Texts.default([]),
        wheels: z.array(z.looseObject({ hash: z.string().optional() })).default([]),
      }),
    )
    .max(5000)
    .default([]),
})
type Lock = z.output<typeof Lock>

/**
 * What the rules of Python say: which requirements count here, and whether this Python will do. With the parser that pip
 * has; what it reads is data alone.
 */
const READ = `
import json, platform, sys
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet
with open(sys.argv[1], encoding='utf-8') as file:
    given = json.load(file)
version = platform.python_version()
said = {'version': version, 'fits': True, 'bad': None, 'elsewhere': None, 'requirements': [], 'constraints': []}
text = given['python']
try:
    said['fits'] = SpecifierSet(text).contains(version, prereleases=True)
    for kind in ('requirements', 'constraints'):
        for text in given[kind]:
            one = Requirement(text)
            if one.marker is not None and not one.marker.evaluate({'extra': ''}):
                continue
            if one.url is not None:
                said['elsewhere'] = one.name
            one.marker = None
            said[kind].append({'name': one.name, 'text': str(one)})
except (InvalidRequirement, InvalidSpecifier):
    said['bad'] = text
print(json.dumps(said))
`
const Parts = z.array(z.object({ name: z.string(), text: z.string() }))
const Said = z.object({
  version: z.string(),
  fits: z.boolean(),
  bad: z.string().nullable(),
  elsewhere: z.string().nullable(),
  requirements: Parts,
  constraints: Parts,
})

/** Reads `pyproject.toml` and `uv.lock` of a folder. `name`: of the bundle. @throws {SourceError} */
export async function readUvProject(
  tree: string,
  {
    name,
    extras,
    python,
    folder,
    signal,
  }: {
    readonly name: string
    readonly extras: readonly string[]
    readonly python: string
    /** For temporary files. */
    readonly folder: string
    readonly signal: AbortSignal
  },
): Promise<UvProject> {
  const project = await readToml(join(tree, 'pyproject.toml'), Project, PROJECT_BYTES)
  if (project === null) throw unreadable('pyproject.toml')
  const lock = await readToml(join(tree, 'uv.lock'), Lock, LOCK_BYTES)
  const { dependencies, dynamic, scripts, 'requires-python': range = '', ...about } = project.project
  if (dynamic.includes('dependencies') || (extras.length > 0 && dynamic.includes('optional-dependencies')))
    throw new SourceError(
      'source_refused',
      say`What it needs is found out only when it is built (“dynamic” in “pyproject.toml”), and nothing is built here.`,
    )
  const optional = extras.flatMap((extra) => {
    const [, found = null] =
      Object.entries(about['optional-dependencies']).find(([each]) => normal(each) === normal(extra)) ?? []
    if (found === null) throw unreadable('pyproject.toml')
    return found
  })
  const input = join(folder, 'project.json')
  const constraints = lock === null ? [] : constraintsOf(lock)
  await writeFile(input, JSON.stringify({ python: range, requirements: [...dependencies, ...optional], constraints }))
  const { out } = await run(python, ['-I', '-c', READ, input], { folder, env: {}, signal })
  const read = Said.safeParse(jsonValue(out))
  if (!read.success) throw unreadable('pyproject.toml')
  const { version, fits, bad, elsewhere, ...chosen } = read.data
  if (bad !== null)
    throw new SourceError('source_refused', say`“${shownText(bad)}” is no version or requirement of Python packages.`)
  if (!fits)
    throw new SourceError('source_refused', say`It needs Python ${shownText(range)}; this machine has ${version}.`)
  const others = [about.name, ...Object.keys(project.tool?.uv?.sources ?? {})].map(normal)
  const foreign = elsewhere ?? chosen.requirements.find((one) => others.includes(normal(one.name)))?.name
  if (foreign !== undefined)
    throw new SourceError(
      'source_refused',
      say`${shownText(name)} needs “${shownText(foreign)}” from elsewhere, and only packages of the index are fetched.`,
    )
  const digests = lock === null ? null : digestsOf(lock)
  return {
    requirements: chosen.requirements.map(({ text }) => text),
    constraints: lock === null ? null : chosen.constraints.map(({ text }) => text),
    scripts: new Map(
      Object.entries(scripts).flatMap(([script, text]) => {
        const program = scriptOf(text)
        return program === null ? [] : [[script, program] as const]
      }),
    ),
    locks: ({ name: of, version: at, sha256 }) => digests === null || digests.has(`${normal(of)} ${at} ${sha256}`),
  }
}

/** One that is locked in several versions has markers that say when each counts. */
function constraintsOf(lock: Lock): string[] {
  return lock.package.flatMap(({ name, version, source, 'resolution-markers': markers }) => {
    if (source.registry === undefined || version === undefined) return []
    const when = markers.map((one) => `(${one})`).join(' or ')
    return [`${name}==${version}${when === '' ? '' : ` ; ${when}`}`]
  })
}

function digestsOf(lock: Lock): ReadonlySet<string> {
  return new Set(
    lock.package.flatMap(({ name, version = '', source, wheels }) =>
      source.registry === undefined
        ? []
        : wheels.flatMap(({ hash }) => {
            const sha256 = /^sha256:([0-9a-f]{64})$/i.exec(hash ?? '')?.[1]
            return sha256 === undefined ? [] : [`${normal(name)} ${version} ${sha256.toLowerCase()}`]
          }),
    ),
  )
}

async function readToml<T>(file: string, shape: z.ZodType<T>, most: number): Promise<T | null> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (bytes === null) return null
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (bytes.length > most) throw unreadable(name)
  try {
    return shape.parse(parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
  } catch (error) {
    throw unreadable(name, error)
  }
}

function unreadable(file: string, cause?: unknown): SourceError {
  return new SourceError(
    'source_refused',
    say`What the bundle needs cannot be read: “${file}” is missing or not of the form that uv knows.`,
    { cause },
  )
}
