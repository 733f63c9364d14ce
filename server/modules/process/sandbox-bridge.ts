/**
 * A separate program that runs inside a sandbox: forwards connections to 127.0.0.1 to the socket file of the proxy
 * outside, and those to the address of a tunnel to its host by that proxy; runs the module with this process's input and
 * output. It imports none of our code, because none of it is in there. Arguments: socket file, port, milliseconds that a
 * tunnel may take until it is there, tunnels (`address:port=host`, separated by commas), command, arguments of the command.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { constants } from 'node:os'

const [socketFile = '', port = '', patience = '', tunnels = '', command = '', ...args] = process.argv.slice(2)
/** What a proxy says before a tunnel is there is a line or two. */
const HEAD_LIMIT = 64 * 1024

function join(inner: Socket, outer: Socket): void {
  inner.pipe(outer).pipe(inner)
  inner.once('close', () => outer.destroy())
  outer.once('close', () => inner.destroy())
}

function dial(inner: Socket): Socket {
  const outer = connect({ path: socketFile, allowHalfOpen: true })
  for (const stream of [inner, outer]) {
    stream.on('error', () => {
      inner.destroy()
      outer.destroy()
    })
  }
  return outer
}

const server = createServer({ allowHalfOpen: true }, (inner) => join(inner, dial(inner)))

/** Asks the proxy for a tunnel; what comes after its answer is the host's. */
function openTunnel(inner: Socket, target: string): void {
  const outer = dial(inner)
  outer.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
  const unreachable = `${target} cannot be reached.\n`
  let head = Buffer.alloc(0)
  const refuse = (line: string): void => {
    process.stderr.write(line)
    inner.destroy()
    outer.destroy()
  }
  const late = setTimeout(() => refuse(`${target} did not answer in time.\n`), Number(patience))
  outer.once('close', () => clearTimeout(late))
  outer.on('data', function answer(piece: Buffer) {
    head = Buffer.concat([head, piece])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) {
      if (head.length > HEAD_LIMIT) refuse(unreachable)
      return
    }
    clearTimeout(late)
    outer.off('data', answer)
    if (/^HTTP\/1\.\d 200 /.test(head.toString('latin1'))) {
      inner.write(head.subarray(end + 4))
      return join(inner, outer)
    }
    const why = head.toString('utf8', end + 4).trim()
    refuse(why === '' ? unreachable : `${why}\n`)
  })
  inner.once('close', () => outer.destroy())
}

for (const tunnel of tunnels.split(',').filter(Boolean)) {
  const [, address = '', at = '', host = ''] = /^(.+):(\d+)=(.+)$/.exec(tunnel) ?? []
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inner) =>
    openTunnel(inner, `${host}:${at}`),
  )
  listener.on('error', (error) => process.stderr.write(`No way to ${host}:${at}: ${error.message}\n`))
  listener.listen(Number(at), address)
  await Promise.race([once(listener, 'listening'), once(listener, 'close')]).catch(() => undefined)
}

// A signal to stop also reaches the module itself; this process ends when the module has ended.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(command, args, { stdio: 'inherit' })
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(127)
  })
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
})
