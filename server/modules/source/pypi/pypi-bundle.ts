import { cut } from '../../../kernel/text/plain-text.ts'
import { type BundleSettings, userConfigOf, variablesOf } from '../bundle-settings.ts'
import type { PipReport } from './run-pip.ts'

/** What a bundle was made of. In the bundle as `reeve-lock.json`. */
export interface PypiLock {
  readonly format: 1
  readonly kind: 'pypi'
  readonly name: string
  /** What it was asked for with, if with any. */
  readonly extras?: readonly string[]
  /** The version or range that was asked for, and the version it meant. */
  readonly range: string
  readonly version: string
  readonly registry: string
  /** The Python that the packages were chosen for. */
  readonly python: string
  /** The first one is what was asked for. */
  readonly packages: readonly LockedWheel[]
}

export interface LockedWheel {
  readonly name: string
  readonly version: string
  readonly file: string
  /** Without a query, which may hold a key. */
  readonly resolved: string
  readonly sha256: string
}

export const PACKAGES_FOLDER = 'site-packages'
export const MAIN_FILE = 'main.py'
/** -I and -S: no packages, variables or folders of this machine. -B: there is nowhere to write compiled ones. */
export const ALONE = ['-I', '-S', '-B']
/** How many arguments stand before those that were asked for. */
export const PYTHON_ARGUMENTS = ALONE.length + 1

/**
 * Starts a program of the packages as its console script would, with the standard library and these packages alone: those
 * that the distribution or a person installed are not seen.
 */
export function mainFile(
  python: string,
  { module, attribute }: { readonly module: string; readonly attribute: string },
) {
  return `import os, sys

if '%d.%d' % sys.version_info[:2] != ${JSON.stringify(python)}:
    sys.exit('These packages were chosen for Python ${python}, and this is %d.%d. Add the module again.' % sys.version_info[:2])

import site

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(PACKAGES_FOLDER)})
sys.path.insert(0, folder)
site.addsitedir(folder)
site.setquit()

from importlib import import_module

program = import_module(${JSON.stringify(module)})
for name in ${JSON.stringify(attribute)}.split('.'):
    program = getattr(program, name)
sys.exit(program())
`
}

interface Parts {
  readonly about: PipReport['install'][number]['metadata']
  readonly program: string | undefined
  readonly args: readonly string[]
  readonly settings: BundleSettings
  readonly lock: PypiLock
}

/** The manifest of a bundle that was packed from an index of Python packages. */
export function pypiManifest({ about, program, args, settings, lock }: Parts): Record<string, unknown> {
  const { author = '', license, home_page: homepage = '' } = about
  return {
    manifest_version: '0.3',
    name: lock.name,
    version: cut(lock.version, 64),
    description: cut(about.summary ?? '', 1000),
    author: { name: cut(author, 200) || lock.name },
    ...(license !== undefined && license !== '' && { license: cut(license, 100) }),
    ...(/^https?:\/\//i.test(homepage) && { homepage }),
    server: {
      type: 'python',
      entry_point: MAIN_FILE,
      mcp_config: {
        command: 'python3',
        args: [...ALONE, `\${__dirname}/${MAIN_FILE}`, ...args],
        env: variablesOf(settings),
      },
    },
    compatibility: { platforms: [process.platform], runtimes: { python: `${lock.python}.x` } },
    user_config: userConfigOf(settings),
    _meta: {
      'dev.reeve': {
        source: {
          kind: 'pypi',
          name: lock.name,
          ...(lock.extras !== undefined && { extras: lock.extras }),
          range: lock.range,
          ...(program !== undefined && { program }),
          registry: lock.registry,
          packages: lock.packages.slice(0, 1000).map(({ name, version }) => cut(`${name}@${version}`, 300)),
        },
      },
    },
  }
}
