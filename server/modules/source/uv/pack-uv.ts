import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cut } from '../../../kernel/text/plain-text.ts'
import { say } from '../../../kernel/sentence.ts'
import { packFolder } from '../../bundle/archive/pack-folder.ts'
import type { UnpackedBundle } from '../../bundle/archive/unpacked-bundle.ts'
import { launchTemplate } from '../../bundle/manifest/launch-template.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { packing } from '../packing.ts'
import { type ChosenWheel, chooseWheels, locked, type PypiOptions, unpackAll } from '../pypi/choose-wheels.ts'
import { type Program, programsIn } from '../pypi/console-scripts.ts'
import { ALONE } from '../pypi/pypi-bundle.ts'
import { pythonVersion } from '../pypi/run-pip.ts'
import { SourceError } from '../source-error.ts'
import { type UvLaunch, uvLaunch } from './uv-launch.ts'
import { readUvProject, type UvProject } from './uv-project.ts'

const START_FILE = 'reeve-start.py'
const PACKAGES = 'reeve-packages'
const LOCK_FILE = 'reeve-lock.json'
/** What the new bundle has of its own, and what says what a folder is packed without. */
const LEFT_OUT = new RegExp(
  `^(?:manifest\\.json|\\.mcpbignore|${START_FILE}|${LOCK_FILE}|(?:${PACKAGES}|\\.venv)/.*)$`,
  's',
)

/**
 * Makes a bundle that holds what it needs of one that `uv` would fetch that for at each start: its own files, and wheels of
 * the index, in the versions of its `uv.lock` if it has one. None of its code is run, and nothing is built. `tree` is where
 * the bundle is unpacked. Gives the packed file.
 * @throws {SourceError}, or the reason of the signal
 */
export async function packUv(bundle: UnpackedBundle, tree: string, options: PypiOptions): Promise<string> {
  const { manifest, files, digest } = bundle
  return packing(options, async (work) => {
    const template = launchTemplate(manifest)
    const launch = uvLaunch(template, files)
    const version = await pythonVersion(options.python, work.folder, work.signal)
    const given = { ...work, python: options.python!, name: manifest.name, extras: launch.extras }
    const project = await readUvProject(tree, given)
    const chosen = await wheelsOf(project)
    const made = join(work.folder, 'tree')
    const packages = join(made, PACKAGES)
    await mkdir(packages, { recursive: true })
    await unpackAll(chosen, packages, work)
    const program = launch.kind === 'program' ? await programOf(launch.name, project, packages) : null
    for (const path of Object.keys(files).filter((each) => !LEFT_OUT.test(each))) {
      work.signal.throwIfAborted()
      await mkdir(dirname(join(made, path)), { recursive: true })
      await copyFile(join(tree, path), join(made, path))
    }
    const registry = new URL(options.index.url).href
    const lock = { format: 1, kind: 'uv', name: manifest.name, version: manifest.version, bundle: digest, registry }
    const more = { python: version, uv_lock: project.constraints !== null, packages: chosen.map(locked) }
    await writeFile(join(made, START_FILE), startFile(version, launch, program))
    await writeFile(join(made, LOCK_FILE), `${JSON.stringify({ ...lock, ...more }, null, 2)}\n`)
    await writeFile(join(made, 'manifest.json'), `${JSON.stringify(manifestOf(), null, 2)}\n`)
    work.progress({ step: 'packing', done: chosen.length, total: chosen.length })
    work.signal.throwIfAborted()
    const file = join(options.folder, 'packed.mcpb')
    await packFolder(made, file)
    return file

    async function wheelsOf({ requirements, constraints, locks }: UvProject): Promise<ChosenWheel[]> {
      if (requirements.length === 0) return []
      const wanted = { requirements, constraints: constraints ?? [], name: manifest.name, python: version }
      const found = await chooseWheels(wanted, options, { ...work, alone: false })
      const other = found.find(({ about, wheel }) => !locks({ ...about, sha256: wheel.sha256 }))
      if (other === undefined) return found
      const { about } = other
      throw new SourceError(
        'source_refused',
        say`“uv.lock” has no wheel of ${shownText(about.name)} ${shownText(about.version)} with the digest of the one that the index has.`,
      )
    }

    function manifestOf(): Record<string, unknown> {
      const { _meta = {}, compatibility = {} } = manifest
      const source = {
        kind: 'uv',
        name: cut(manifest.name, 214),
        range: manifest.version,
        registry,
        packages: chosen.map(({ about }) => cut(`${about.name}@${about.version}`, 300)),
      }
      const args = [...ALONE, `\${__dirname}/${START_FILE}`, ...launch.args]
      return {
        ...manifest,
        server: {
          type: 'python',
          entry_point: START_FILE,
          mcp_config: { command: 'python3', args, env: template.env },
        },
        compatibility: { ...compatibility, platforms: [process.platform], runtimes: { python: `${version}.x` } },
        _meta: { ..._meta, 'dev.reeve': { ...(_meta['dev.reeve'] as object | undefined), source } },
      }
    }
  })
}

/** A program of the project, or of a package that it needs. @throws {SourceError} */
async function programOf(name: string, { scripts }: UvProject, packages: string): Promise<Program> {
  const infos = (await readdir(packages)).filter((each) => each.endsWith('.dist-info'))
  const found = scripts.get(name) ?? (await programsIn(packages, infos)).get(name)
  if (found !== undefined) return found
  throw new SourceError(
    'source_refused',
    say`Neither the bundle nor its packages have a program ${shownText(name)}, which it would start.`,
  )
}

/** Starts what `uv run` would, with the standard library, its packages and its own code alone. */
function startFile(python: string, { kind, name, inside }: UvLaunch, program: Program | null): string {
  const text = (value: string): string => JSON.stringify(value)
  const starts = {
    file: `import runpy

sys.argv[0] = os.path.join(root, *${text(name)}.split('/'))
sys.path.insert(0, os.path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name='__main__')
`,
    module: `import runpy

runpy.run_module(${text(name)}, run_name='__main__', alter_sys=True)
`,
    program: `from importlib import import_module

program = import_module(${text(program?.module ?? '')})
for name in ${text(program?.attribute ?? '')}.split('.'):
    program = getattr(program, name)
sys.exit(program())
`,
  }
  return `import os, sys

if '%d.%d' % sys.version_info[:2] != ${text(python)}:
    sys.exit('These packages were chosen for Python ${python}, and this is %d.%d. Install its bundle again.' % sys.version_info[:2])

import site

root = os.path.dirname(os.path.abspath(__file__))
packages = os.path.join(root, ${text(PACKAGES)})
sys.path.insert(0, packages)
site.addsitedir(packages)
site.setquit()
sys.path += [os.path.join(root, 'src'), root]
${inside ? 'os.chdir(root)\n' : ''}${starts[kind]}`
}
