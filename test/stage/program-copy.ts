import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './sources/source-graph.ts'

/** What a program folder holds for the service; packages and the runtime are linked, because they are large. */
const COPIED = ['builtin', 'contract', 'dist', 'help', 'scripts', 'sdk', 'server', 'web']
const FILES = ['CHANGELOG.md', 'LICENSE', 'package-lock.json', 'package.json', 'vite.config.ts', 'docs/screenshots']
const LINKED = ['node_modules', 'runtime']

/** A built program folder at `folder`, apart from this one: what a test does to it harms nobody. */
export async function copyProgram(folder: string): Promise<void> {
  for (const name of [...COPIED, ...FILES])
    await cp(join(ROOT, name), join(folder, name), { recursive: true, preserveTimestamps: true })
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
}

/** An ordinary account of every Linux. */
export const NOBODY = 65534

/** Why this machine cannot run something of ours as another account; null when it can. */
export function whyNotAsNobody(): string | null {
  if (process.getuid?.() !== 0) return 'needs root, to start the service as another account'
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/packaged.mjs')], { uid: NOBODY, gid: NOBODY })
  return status === 0 ? null : 'other accounts may not look into this checkout'
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A program of ours with these settings, and nothing else of this machine's. */
export function startProgram(
  words: readonly string[],
  { env = {}, cwd = '/', asNobody = false }: { env?: Record<string, string>; cwd?: string; asNobody?: boolean } = {},
): { child: ChildProcess; ended: Promise<Ended>; output(): string } {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(asNobody && { uid: NOBODY, gid: NOBODY }),
  })
  const read = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (read.stdout += chunk.toString('utf8')))
  child.stderr.on('data', (chunk: Buffer) => (read.stderr += chunk.toString('utf8')))
  const reap = (): boolean => child.kill('SIGKILL')
  process.once('exit', reap)
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail)
    child.once('close', (code, signal) => {
      process.off('exit', reap)
      done({ code, signal, ...read })
    })
  })
  return { child, ended, output: () => read.stdout + read.stderr }
}
