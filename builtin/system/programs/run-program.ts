import { spawn } from 'node:child_process'
import { commandEnvironment } from './environment.ts'

const OUTPUT_LIMIT = 16 * 1024 * 1024

/**
 * Runs a helper program without a shell and collects its output (at most 16 MB). Resolves with `code` null when it was
 * killed.
 * @throws {Error} when there is no such program, the deadline passes or the output is too large.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { deadline_ms: number; signal: AbortSignal },
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let errors = ''
    let size = 0
    let problem: string | null = null
    const child = spawn(program, args, { env: commandEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
    const stop = (why: string) => {
      problem ??= why
      child.kill('SIGKILL')
      // A program waiting in the kernel for a dead mount never closes, so it is abandoned.
      child.stdout.destroy()
      child.stderr.destroy()
      child.unref()
      reject(new Error(problem))
    }
    const timer = setTimeout(
      () => stop(`${program} did not answer within ${options.deadline_ms / 1000} s.`),
      options.deadline_ms,
    )
    const onAbort = () => stop('Cancelled.')
    options.signal.addEventListener('abort', onAbort, { once: true })
    const done = () => {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', onAbort)
    }
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > OUTPUT_LIMIT) stop(`${program} wrote more than ${OUTPUT_LIMIT / 1024 / 1024} MB.`)
      else chunks.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < 10_000) errors += chunk.toString()
    })
    child.once('error', (error: NodeJS.ErrnoException) => {
      done()
      reject(new Error(error.code === 'ENOENT' ? `There is no program "${program}" on this machine.` : error.message))
    })
    child.once('close', (code) => {
      done()
      if (problem === null) resolve({ code, stdout: Buffer.concat(chunks).toString(), stderr: errors })
    })
    if (options.signal.aborted) onAbort()
  })
}
