/**
 * Runs a child process to its end.
 */
import { spawn } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Ended, say } from './report.mjs'

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..')

const HEARTBEAT_MS = 5_000
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }
const ENDING = ['SIGHUP', 'SIGINT', 'SIGTERM']

/** The code that a shell reports for an ended process: its exit code, or 128 + the signal's number. */
export const exitCode = (code, signal) => code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 0)

/**
 * Resolves with the exit code once `child` has ended. A signal that ends us meanwhile ends the child first, and the
 * promise rejects with Ended, so that nothing of ours keeps running and locks are released.
 */
function follow(child, event) {
  return new Promise((fulfil, reject) => {
    let ended
    const end = (signal) => {
      ended = new Ended(exitCode(null, signal))
      child.kill(signal)
    }
    for (const signal of ENDING) process.on(signal, end)
    const done = (settle) => (value, signal) => {
      for (const each of ENDING) process.off(each, end)
      if (ended) reject(ended)
      else settle(value, signal)
    }
    child.once('error', done(reject))
    child.once(
      event,
      done((code) => fulfil(code ?? 1)),
    )
  })
}

/** Runs with inherited output. Resolves with the exit code, or 1 after a signal. @throws {Ended} */
export function run(command, args, { env = process.env, cwd = ROOT } = {}) {
  return follow(spawn(command, args, { cwd, env, stdio: 'inherit' }), 'exit')
}

/**
 * Runs and collects the output: `{ code, output }`. With a `label`, prints a line every five seconds that it is still
 * working, with the state from `progress()`. @throws {Ended}
 */
export async function collect(command, args, { env = process.env, cwd = ROOT, label, progress } = {}) {
  const started = Date.now()
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  child.stderr.on('data', (chunk) => chunks.push(chunk))
  const tell = () => {
    const far = progress ? ` ${progress()},` : ''
    say(`${label} …${far} ${Math.round((Date.now() - started) / 1000)} s`)
  }
  const heartbeat = label ? setInterval(tell, HEARTBEAT_MS) : undefined
  try {
    const code = await follow(child, 'close')
    return { code, output: Buffer.concat(chunks).toString('utf8') }
  } finally {
    clearInterval(heartbeat)
  }
}
