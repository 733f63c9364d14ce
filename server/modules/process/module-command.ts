import { dirname, extname, join } from 'node:path'
import type { Capabilities, Isolation } from '../../../contract/modules.ts'
import type { Launch } from '../spec/launch.ts'
import { bubblewrapCommand, bubblewrapInput } from '../../sandbox/bubblewrap.ts'
import { SETPRIV_OPTIONS, type Findings } from '../../sandbox/findings.ts'
import { moduleEnvironment, programFolders, proxyEnvironment } from './module-environment.ts'
import { type Tunnel, tunnelsArgument } from './network-tunnels.ts'
import { permissionEnvironment, permissionOptions } from './node-permission.ts'
import { DEFAULT_DISK_BYTES, type ProcessLimits } from './process-limits.ts'
import { findSystemProgram, neededFor } from './resolve-program.ts'
import { prlimitOptions } from '../../sandbox/resource-limits.ts'

/** Next to this file; in the kit for authors both are plain JavaScript. */
const BRIDGE = join(import.meta.dirname, `sandbox-bridge${extname(import.meta.filename)}`)
/** Paths of the bridge and the proxy's socket inside a sandbox. */
const BRIDGE_INSIDE = `/run/bridge${extname(BRIDGE).replace('.ts', '.mts')}`
const SOCKET_FOLDER_INSIDE = '/run/proxy'
export const PROXY_PORT = 3128
/** How long a host may take to answer where nobody else would give up. */
const TUNNEL_MS = 30_000
/** In the folder of the proxy's socket. */
export const SOCKET_FILE = 'proxy.sock'
export const HOSTS_FILE = 'hosts'

/** The process to spawn. */
export interface ModuleCommand {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Contents of the file descriptors from 3 on. */
  readonly inputs: readonly string[]
}

export interface Wanted {
  readonly launch: Launch
  readonly grants: Capabilities
  readonly limits: ProcessLimits
  /** Path of the program that the command refers to. */
  readonly program: string
  /** A folder for temporary files, as seen outside the sandbox. */
  readonly temporary: string
  /** Folders that no module sees. */
  readonly hidden: readonly string[]
}

/** What leads out of a sandbox to granted hosts. */
export interface WayOut {
  /** The folder outside with the proxy's socket and the file of host names. */
  readonly folder: string
  readonly tunnels: readonly Tunnel[]
}

/** The command inside bubblewrap. `wayOut` is null unless hosts were granted. */
export function isolatedCommand(findings: Findings, wanted: Wanted, wayOut: WayOut | null): ModuleCommand {
  const { launch, grants, limits, program, temporary } = wanted
  const granted = grants.commands.flatMap((name) => findSystemProgram(findings.path, name) ?? [])
  const programs = [findings.node, program, ...granted]
  const paths = (write: boolean) => grants.folders.filter((each) => each.write === write).map((each) => each.path)
  const [options, passwd] = bubblewrapInput({
    read: [launch.bundleFolder, ...programs.flatMap((path) => neededFor(path, launch, findings.node)), ...paths(false)],
    write: [launch.dataFolder, ...paths(true)],
    hidden: wanted.hidden,
    mapped:
      wayOut === null
        ? []
        : [
            [BRIDGE, BRIDGE_INSIDE],
            [wayOut.folder, SOCKET_FOLDER_INSIDE],
            [join(wayOut.folder, HOSTS_FILE), '/etc/hosts'],
          ],
    temporary,
    home: launch.dataFolder,
    network: grants.network === 'any',
    nested: findings.bwrap.nested,
    env: {
      ...moduleEnvironment(launch, programFolders(programs), temporary),
      ...(wayOut === null ? {} : proxyEnvironment(PROXY_PORT)),
    },
  })
  const bridge = [findings.node, '--disable-warning=ExperimentalWarning', BRIDGE_INSIDE]
  const command = [
    ...limit(findings.prlimit?.startsWith('/usr/') ? findings.prlimit : null, limits, true),
    ...(wayOut === null
      ? []
      : [
          ...bridge,
          `${SOCKET_FOLDER_INSIDE}/${SOCKET_FILE}`,
          String(PROXY_PORT),
          String(TUNNEL_MS),
          tunnelsArgument(wayOut.tunnels),
        ]),
    program,
    ...launch.args,
  ]
  // Options go through a pipe because they contain the environment, and with it secrets.
  const inputs = [options, passwd]
  return { command: bubblewrapCommand(findings.bwrap.path, command), env: {}, cwd: '/', inputs }
}

/** The command as a plain child process, limited by Node's permission model or not at all. */
export function plainCommand(findings: Findings, wanted: Wanted, level: Isolation['level']): ModuleCommand {
  const { launch, grants, limits, program, temporary } = wanted
  const limited = level === 'restricted' || level === 'guarded'
  const path = [...new Set([dirname(findings.node), ...findings.path])]
  const env = moduleEnvironment(
    limited ? { ...launch, env: permissionEnvironment(launch.env) } : launch,
    path,
    temporary,
  )
  const network = level === 'guarded' ? findings.permission.network : grants.network !== 'none'
  return {
    command: [
      ...(findings.setpriv === null ? [] : [findings.setpriv, ...SETPRIV_OPTIONS]),
      ...limit(findings.prlimit, limits, false),
      program,
      ...(limited ? permissionOptions(launch, grants, temporary, network) : []),
      ...launch.args,
    ],
    env,
    cwd: launch.dataFolder,
    inputs: [],
  }
}

function limit(prlimit: string | null, limits: ProcessLimits, ownUser: boolean): string[] {
  if (prlimit === null) return []
  return [prlimit, ...prlimitOptions(limits.disk_bytes ?? DEFAULT_DISK_BYTES, ownUser)]
}
