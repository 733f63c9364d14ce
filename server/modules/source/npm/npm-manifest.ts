import { cut } from '../../../kernel/text/plain-text.ts'
import { type BundleSettings, userConfigOf, variablesOf } from '../bundle-settings.ts'
import type { LockedPackage, NpmLock } from './npm-lock.ts'
import type { PackageJson } from './package-entry.ts'
import type { ResolvedTree, Target } from './resolve-tree.ts'

interface Parts {
  readonly about: PackageJson
  readonly entry: string
  readonly program: string | undefined
  readonly args: readonly string[]
  readonly settings: BundleSettings
  readonly lock: NpmLock
  readonly tree: ResolvedTree
  readonly target: Target
}

/** The manifest of a bundle that was packed from npm: what is started, and where it came from. */
export function npmManifest({
  about,
  entry,
  program,
  args,
  settings,
  lock,
  tree,
  target,
}: Parts): Record<string, unknown> {
  const own = tree.packages.some(({ version }) => [version.os, version.cpu, version.libc].some((list) => list?.length))
  const author = typeof about.author === 'string' ? about.author : (about.author?.name ?? '')
  const node = about.engines?.['node']
  return {
    manifest_version: '0.3',
    name: lock.name,
    version: lock.version,
    description: cut(about.description ?? '', 1000),
    author: { name: cut(author, 200) || lock.name },
    ...(about.license !== undefined && { license: cut(about.license, 100) }),
    ...(about.homepage !== undefined && /^https?:\/\//i.test(about.homepage) && { homepage: about.homepage }),
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entry}`, ...args],
        env: variablesOf(settings),
      },
    },
    compatibility: {
      // Some of its packages were chosen for this kind of machine.
      ...(own && { platforms: [target.os] }),
      ...(node !== undefined && { runtimes: { node } }),
    },
    user_config: userConfigOf(settings),
    _meta: {
      'dev.reeve': {
        source: {
          kind: 'npm',
          name: lock.name,
          range: lock.range,
          ...(program !== undefined && { program }),
          registry: lock.registry,
          packages: listed(lock.packages.map(spelled)),
          scripts: listed(lock.packages.filter(({ scripts }) => scripts !== undefined).map(spelled)),
          left_out: listed(tree.left_out.map(({ name }) => name)),
          conflicts: listed(tree.conflicts.map(({ name, wanted, by }) => `${name}@${wanted} (${by})`)),
        },
      },
    },
  }
}

function spelled({ name, version }: LockedPackage): string {
  return `${name}@${version}`
}

/** As much as is read of such a list (`bundle/manifest/bundle-origin`): one that is longer would hide all of them. */
function listed(texts: readonly string[]): string[] {
  return texts.slice(0, 1000).map((text) => cut(text, 300))
}
