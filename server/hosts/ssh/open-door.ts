import { Duplex } from 'node:stream'
import type { Client, ClientChannel } from 'ssh2'

/** Of what sudo or a shell says instead of an answer. */
const MOST_ERRORS = 4000

/**
 * Starts what the account's key is for, as a stream of its input and output. What it says on its error output is its output
 * when there is no other. It is destroyed when the connection is lost, or no end was reported; `done` is called at its end.
 */
export function openDoor(client: Client, closed: AbortSignal, done: () => void): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const onClosed = () => {
      done()
      reject(closed.reason as Error)
    }
    closed.addEventListener('abort', onClosed, { once: true })
    client.exec('reeve-op', (error, channel) => {
      closed.removeEventListener('abort', onClosed)
      if (error === undefined) return resolve(streamOf(channel, closed, done))
      done()
      reject(error)
    })
  })
}

function streamOf(channel: ClientChannel, closed: AbortSignal, done: () => void): Duplex {
  let ended = false
  let answered = false
  let errors = ''
  const stream = new Duplex({
    read: () => undefined,
    // A program may end before it was asked anything, as where sudo is missing: what it said is still read.
    write: (chunk: Buffer, _encoding, written) => void channel.write(chunk, () => written()),
    final: (written) => void channel.end(() => written()),
    destroy: (error, destroyed) => {
      closed.removeEventListener('abort', onClosed)
      channel.close()
      done()
      destroyed(error)
    },
  })
  const onClosed = () => void stream.destroy(closed.reason as Error)
  closed.addEventListener('abort', onClosed, { once: true })
  channel.on('data', (chunk: Buffer) => {
    answered = true
    stream.push(chunk)
  })
  channel.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(0, MOST_ERRORS)))
  channel.on('exit', () => (ended = true))
  channel.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_WRITE_AFTER_END') stream.destroy(error)
  })
  const finish = () => {
    if (!ended) return stream.destroy(new Error('The end of reeve-op was not reported.'))
    if (!answered && errors !== '') stream.push(errors)
    stream.push(null)
  }
  // What came on the error output in the same moment is handed on after this event.
  channel.on('close', () => setImmediate(finish))
  return stream
}
