import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A port of this machine, by which a port of another one is reached. */
export async function openRelay(address: string, port: number): Promise<{ readonly port: number } & AsyncDisposable> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, address)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => open.delete(from))
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
