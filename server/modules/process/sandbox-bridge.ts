/**
 * A separate program that runs inside a sandbox: forwards connections to 127.0.0.1 to the socket file of the proxy
 * outside, and runs the module with this process's input and output. It imports none of our code, because none of it is
 * in there. Arguments: socket file, port, command, arguments of the command.
 */
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const [socketFile = '', port = '', command = '', ...args] = process.argv.slice(2)

const server = createServer({ allowHalfOpen: true }, (inner) => {
  const outer = connect({ path: socketFile, allowHalfOpen: true })
  inner.pipe(outer).pipe(inner)
  for (const stream of [inner, outer]) {
    stream.on('error', () => {
      inner.destroy()
      outer.destroy()
    })
  }
  inner.once('close', () => outer.destroy())
})

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
