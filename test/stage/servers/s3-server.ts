import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const S3_BUCKET = 'reeve-test'
export const S3_KEYS = { access: 'S3RVER', secret: 'S3RVER' }

/**
 * A process of its own: the server takes every uncaught exception of the process that it lives in, and lists in several
 * pages need a cipher that is off by default.
 */
const SCRIPT = `
  const S3rver = require(process.argv[1])
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory: process.argv[2],
    configureBuckets: [{ name: process.argv[3] }] })
  server.run().then(({ port }) => console.log(port))
  process.stdin.resume().once('end', () => process.exit())`

/** A real S3 server on this machine with one empty bucket; it checks signatures. */
export async function startS3Server() {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-s3-'))
  const program = createRequire(import.meta.url).resolve('s3rver')
  const child = spawn(process.execPath, ['--openssl-legacy-provider', '-e', SCRIPT, program, folder, S3_BUCKET], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit')
      child.stdin.end()
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}
