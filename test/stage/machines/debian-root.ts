import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { skipReason } from '../skip-reason.ts'
import { ROOT } from '../sources/source-graph.ts'

/** Kept between runs, like the other things that tests fetch. */
const CACHE = join(ROOT, 'node_modules/.cache/debian-bookworm')
const FETCH_MS = 400_000

/** Why no Debian can be made here; null when it can, or is there. */
export function whyNoDebian(): string | null {
  if (process.getuid?.() !== 0) return 'needs root, to make a Debian to install into'
  const programs = ['debootstrap', 'unshare', 'chroot', 'ip']
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error)
  if (missing.length > 0) return skipReason(`needs ${missing.join(', ')}`)
  const { status } = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'mount', '-t', 'proc', 'p', '/proc'])
  return status === 0 ? null : 'this machine does not let us mount'
}

/** A fresh Debian 12 without anything but what every Debian has, at `folder`. Resolves with why it could not be fetched, else null. */
export async function makeDebian(folder: string): Promise<string | null> {
  if (!existsSync(CACHE)) {
    const half = `${CACHE}.${process.pid}`
    await mkdir(half, { recursive: true })
    const { status, stdout } = spawnSync('debootstrap', ['--variant=minbase', 'bookworm', half], {
      encoding: 'utf8',
      timeout: FETCH_MS,
    })
    if (status !== 0) {
      await rm(half, { recursive: true, force: true })
      return skipReason(`Debian cannot be fetched: ${stdout.trim().split('\n').at(-1)}`)
    }
    // Another test was faster: one is as good as the other.
    await rename(half, CACHE).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
      await rm(half, { recursive: true, force: true })
    })
  }
  spawnSync('cp', ['-a', CACHE, folder])
  return null
}

export interface Told {
  readonly code: number | null
  readonly output: string
}

/**
 * Runs a shell script as root inside the Debian at `folder`, in a network that has nothing but a loopback, and with
 * processes of its own, which end with it. @param network reach what this machine reaches
 */
export function inDebian(folder: string, script: string, { network = false } = {}): Promise<Told> {
  const inside = `mount -t proc proc "$1/proc" && ip link set lo up && exec chroot "$1" /bin/sh -euc "$2"`
  const spaces = ['--mount', '--pid', '--fork', '--kill-child', ...(network ? [] : ['--net'])]
  const child = spawn('unshare', [...spaces, 'sh', '-c', inside, 'sh', folder, script], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  return new Promise((done, fail) => child.once('error', fail).once('close', (code) => done({ code, output })))
}

/** Puts a file of this machine into the Debian. */
export async function putInto(folder: string, file: string, path: string): Promise<void> {
  await cp(file, join(folder, path))
}
