import { realpathSync } from 'node:fs'
import type { Capabilities } from '../../../contract/modules.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Launch } from '../spec/launch.ts'

/**
 * Node options that a bundle may put before its script. Any other could lift the limits or load code before they apply.
 */
const HARMLESS_OPTION =
  /^--(?:enable-source-maps|no-warnings|no-deprecation|trace-[a-z-]+|disable-warning=.*|max-old-space-size=\d+|stack-size=\d+|expose-gc|experimental-(?:strip-types|transform-types|vm-modules|wasm-modules|sqlite))$/

/** Variables with which a process is told to load code or options before Node looks at its permissions. */
const DANGEROUS_VARIABLE = /^(?:LD_|DYLD_|OPENSSL_|GCONV_PATH$|NODE_(?!ENV$|NO_WARNINGS$|TLS_REJECT_UNAUTHORIZED$))/

/** Null when Node's permission model can confine this module, otherwise why it cannot, as part of a sentence. */
export function canLimitNode(launch: Launch, grants: Capabilities): Sentence | null {
  for (const argument of launch.args) {
    if (!argument.startsWith('-')) break
    if (!HARMLESS_OPTION.test(argument))
      return say`it is started with ${argument.split('=', 1)[0]!}, which could lift the limits`
  }
  const paths = [launch.bundleFolder, launch.dataFolder, ...grants.folders.map((folder) => folder.path)]
  const odd = paths.find((path) => /[,*]/.test(path))
  return odd === undefined ? null : say`Node cannot be told of the path ${odd}`
}

/**
 * Options that limit a Node process to its folders and its grants. Threads are disabled because they would not be
 * limited, and addons because they are native code.
 */
export function permissionOptions(
  launch: Launch,
  grants: Capabilities,
  temporary: string,
  allowNetwork: boolean,
): string[] {
  const read = [launch.bundleFolder, launch.dataFolder, temporary, ...grants.folders.map((folder) => folder.path)]
  const write = [
    launch.dataFolder,
    temporary,
    ...grants.folders.filter((folder) => folder.write).map(({ path }) => path),
  ]
  return [
    '--permission',
    ...read.flatMap(withRealPath).map((path) => `--allow-fs-read=${path}`),
    ...write.flatMap(withRealPath).map((path) => `--allow-fs-write=${path}`),
    ...(grants.commands.length > 0 ? ['--allow-child-process'] : []),
    ...(allowNetwork ? ['--allow-net'] : []),
  ]
}

/** The environment without variables that could lift the limits. */
export function permissionEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !DANGEROUS_VARIABLE.test(name)))
}

/** A folder may be reached through a link, and Node compares paths as they are requested. */
function withRealPath(path: string): string[] {
  try {
    return [...new Set([path, realpathSync(path)])]
  } catch {
    return [path]
  }
}
