import { lstatSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'

/** Programs and libraries. If one is a link (as /bin usually is), the sandbox gets the same link. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store']
/** What programs need to find libraries, verify certificates and know the time zone. No accounts, keys or settings. */
const ETC = [
  'ld.so.cache',
  'alternatives',
  'ssl/certs',
  'ssl/openssl.cnf',
  'ca-certificates',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
  'crypto-policies',
  'localtime',
  'timezone',
  'nsswitch.conf',
  'protocols',
  'services',
  'mime.types',
  'fonts',
  // What the launcher of Debian's Chromium reads before anything else; without the folder it exits.
  'chromium.d',
  'chromium',
]
const ETC_NETWORK = ['resolv.conf', 'hosts', 'gai.conf']
const USER = '1000'

export interface View {
  /** Files and folders visible at their own paths. */
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Folders that appear empty, except for what is in the lists above. */
  readonly hidden: readonly string[]
  /** Files visible at another path: [outside, inside]. */
  readonly mapped: readonly (readonly [string, string])[]
  /**
   * A folder visible at its own path that also serves as /tmp and /dev/shm, so that files there take up disk space,
   * which is limited, and not memory. Null: nothing can be written there.
   */
  readonly temporary: string | null
  readonly home: string
  readonly network: boolean
  readonly nested: boolean
  readonly env: Readonly<Record<string, string>>
}

/** The first of the two file descriptors from which bubblewrap reads its options and the content of /etc/passwd. */
const OPTIONS_FD = 3

/** The command line of bubblewrap, which contains nothing secret. */
export function bubblewrapCommand(path: string, command: readonly string[], first = OPTIONS_FD): string[] {
  return [path, '--args', String(first), '--', ...command]
}

/** What it reads from the file descriptor `first` and the next one. */
export function bubblewrapInput(view: View, first = OPTIONS_FD): [options: string, passwd: string] {
  const options = [
    apart(view.nested),
    view.network ? ['--share-net'] : [],
    system(view.network),
    ['--ro-bind-data', String(first + 1), '/etc/passwd'],
    ['--proc', '/proc', '--dev', '/dev'],
    view.temporary === null
      ? ['--dir', '/tmp']
      : ['--bind', view.temporary, '/tmp', '--bind', view.temporary, '/dev/shm'],
    mounts(view),
    ['--clearenv'],
    Object.entries(view.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ['--chdir', view.home],
    view.hidden.flatMap((path) => ['--remount-ro', path]),
    SEALED,
  ].flat()
  return [options.map((option) => `${option}\0`).join(''), `module:x:${USER}:${USER}::${view.home}:/bin/sh\n`]
}

/** A complete sandbox containing only Node, which prints `answer`. */
export function probeArguments(node: string, answer: string, nested: boolean): string[] {
  return [
    apart(nested),
    system(false),
    ['--proc', '/proc', '--dev', '/dev', '--ro-bind', node, node, '--dir', '/tmp'],
    SEALED,
    ['--', node, '-e', `console.log(${JSON.stringify(answer)})`],
  ].flat()
}

/**
 * /dev and / are in memory, which must not be filled. Files in /proc/sys belong to root, and to the kernel a sandbox
 * started by root is root: it could have the machine run a program outside.
 */
const SEALED = ['/proc', '/dev', '/'].flatMap((path) => ['--remount-ro', path])

/** `nested`: nested sandboxes stay possible, because bubblewrap before 0.8 cannot forbid them. */
function apart(nested: boolean): string[] {
  return [
    ['--unshare-all', '--unshare-user', '--uid', USER, '--gid', USER, '--hostname', 'module'],
    nested ? [] : ['--disable-userns'],
    ['--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
  ].flat()
}

function system(network: boolean): string[] {
  const folders = SYSTEM.flatMap((path) => {
    const target = linkTarget(path)
    return target === null ? ['--ro-bind-try', path, path] : ['--symlink', target, path]
  })
  const etc = [...ETC, ...(network ? ETC_NETWORK : [])].map((name) => `/etc/${name}`)
  return [...folders, ...etc.flatMap((path) => ['--ro-bind-try', path, path])]
}

/** Shorter paths first: later mounts are on top, so a folder inside another keeps its own permissions. */
function mounts(view: View): string[] {
  const all = [
    ...view.read.map((path) => ({ option: '--ro-bind-try', from: path, to: path })),
    ...[...(view.temporary === null ? [] : [view.temporary]), ...view.write].map((path) => ({
      option: '--bind-try',
      from: path,
      to: path,
    })),
    ...view.mapped.map(([from, to]) => ({ option: '--ro-bind', from, to })),
    ...view.hidden.map((path) => ({ option: '--tmpfs', from: null, to: path })),
  ]
  return all
    .sort((a, b) => depth(a.to) - depth(b.to))
    .flatMap(({ option, from, to }) => (from === null ? [option, to] : [option, from, to]))
}

function depth(path: string): number {
  let count = 0
  for (let at = path; at !== '/' && at !== '.'; at = dirname(at)) count += 1
  return count
}

function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null
  } catch {
    return null
  }
}
