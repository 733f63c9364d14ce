import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { compileCache } from './compile-cache.ts'

const MAIN = join(import.meta.dirname, '../../server/cli/main.ts')

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** What --json printed. */
  json<T = Record<string, unknown>>(): T
}

/** Starts `reeve <words>` as a process of its own, with these settings and nothing else of this machine's. */
export function startCommand(env: Record<string, string>, words: readonly string[], cwd = '/'): ChildProcess {
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...compileCache, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Runs it to its end; `input` is its standard input. */
export async function runCommand(
  env: Record<string, string>,
  words: readonly string[],
  { input = '', cwd = '/' } = {},
): Promise<CommandResult> {
  const child = startCommand(env, words, cwd)
  const read = { stdout: '', stderr: '' }
  child.stdout!.on('data', (chunk: Buffer) => (read.stdout += chunk.toString('utf8')))
  child.stderr!.on('data', (chunk: Buffer) => (read.stderr += chunk.toString('utf8')))
  child.stdin!.on('error', () => undefined).end(input)
  const code = await new Promise<number | null>((done, fail) => child.once('close', done).once('error', fail))
  return { code, ...read, json: () => JSON.parse(read.stdout) as never }
}
