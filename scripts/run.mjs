/**
 * Runs a child process to its end.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import process from 'node:process'
import { say } from './report.mjs'

export const ROOT = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..')

const HEARTBEAT_MS = 10_000

/** Output is inherited. Resolves with the exit code (128 + signal number style is left to the shell: a signal gives 1). */
export function run(command, args, { env = process.env, cwd = ROOT } = {}) {
  return new Promise((fulfil, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => fulfil(code ?? 1))
  })
}

/**
 * Output is collected: `{ code, output }`. With a `label`, a line every ten seconds says that it still works.
 */
export function collect(command, args, { env = process.env, cwd = ROOT, label } = {}) {
  return new Promise((fulfil, reject) => {
    const started = Date.now()
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const heartbeat = label
      ? setInterval(() => say(`${label} … ${Math.round((Date.now() - started) / 1000)} s`), HEARTBEAT_MS)
      : undefined
    const done = () => clearInterval(heartbeat)
    child.once('error', (error) => {
      done()
      reject(error)
    })
    child.once('close', (code) => {
      done()
      fulfil({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') })
    })
  })
}
