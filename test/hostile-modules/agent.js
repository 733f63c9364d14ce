// A module that does what it is asked to, allowed or not, and tells how it went: the attacker of the tests.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline'

const hoard = []
/** For what never comes: longer than a busy machine takes for what does. */
const PATIENCE = 30_000
const once = (emitter, event) =>
  new Promise((resolve, reject) => {
    emitter.once(event, resolve)
    emitter.once('error', reject)
    setTimeout(reject, PATIENCE, new Error('nothing happened')).unref()
  })

const deeds = {
  env: () => process.env,
  self: () => ({
    pid: process.pid,
    parent: process.ppid,
    cwd: process.cwd(),
    user: userInfo().username,
    version: process.version,
  }),
  read: ({ path }) => readFileSync(path, 'latin1'),
  list: ({ path }) => readdirSync(path),
  write: ({ path, text = 'x' }) => writeFileSync(path, text),
  /** Opens for writing without writing. */
  open: ({ path }) => writeFileSync(path, '', { flag: 'r+' }),
  link: ({ target, path }) => symlinkSync(target, path),
  follow: ({ path }) => readlinkSync(path),
  kill: ({ pid, signal = 'SIGKILL' }) => process.kill(pid, signal),
  connect: async ({ port, host = '127.0.0.1' }) => {
    const socket = connect({ port, host })
    await once(socket, 'connect')
    socket.destroy()
  },
  /** Sends a text and gives what comes back first, without any proxy. */
  exchange: async ({ port, host, text }) => {
    const socket = connect({ port, host })
    await once(socket, 'connect')
    socket.write(text)
    const answer = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => 'closed')])
    socket.destroy()
    return String(answer)
  },
  listen: async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server.address().port
  },
  fetch: async ({ url, method, body }) => {
    const answer = await fetch(url, { method, body })
    return { status: answer.status, text: await answer.text() }
  },
  /** Starts a program; `apart` leaves the group and the session, as a daemon does. */
  start: async ({ command, args = [], apart = false, env = process.env }) => {
    const child = spawn(command, args, { detached: apart, stdio: 'ignore', env })
    await once(child, 'spawn')
    if (apart) child.unref()
    return child.pid
  },
  output: async ({ command, args = [] }) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (data) => (text += data))
    await once(child, 'close')
    return text
  },
  allocate: ({ mebibytes }) => void hoard.push(Buffer.alloc(mebibytes * 1024 * 1024, 1)),
  stderr: ({ text }) => void process.stderr.write(text),
  stdout: ({ text }) => void process.stdout.write(text),
  exit: ({ code = 0 }) => process.exit(code),
  /** Its last words are long, and then it is gone. */
  part: ({ bytes }) => {
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'x'.repeat(bytes) })
    process.stdout.write(`${text}\n`, () => process.exit(0))
  },
  abort: () => process.abort(),
}

// Node's refusals may come outside of what asked for them.
process.on('uncaughtException', (error) => process.stderr.write(`${error.code}\n`))

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (fields) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...fields })}\n`)
  Promise.resolve()
    .then(() => deeds[method](params ?? {}))
    .then(
      (result) => answer({ result: { value: result ?? null } }),
      (error) => answer({ error: { code: 1, message: error.code ?? error.cause?.code ?? error.message } }),
    )
})
