import { createServer } from 'node:net'

/** A port of 127.0.0.1 that nothing listens on, for a program that has to be told one. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Below those that the system hands out by itself, so that nobody is given it meanwhile.
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await new Promise<boolean>((done) => {
      server.once('listening', () => done(true)).once('error', () => done(false))
    })
    if (!free) continue
    await new Promise((done) => server.close(done))
    return port
  }
}
