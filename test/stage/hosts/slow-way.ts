import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A network between Reeve and a machine that a test can stop and cut. */
export interface SlowWay extends AsyncDisposable {
  readonly port: number
  readonly connections: number
  /** After so many more bytes towards the machine, nothing comes through any more. */
  stallAfter(bytes: number): void
  /** Cuts every connection; refuses new ones, or lets them through whole. */
  cut(then: 'refuse' | 'mend'): void
}

export async function openSlowWay(port: number): Promise<SlowWay> {
  const open = new Set<Socket>()
  let connections = 0
  let left = Infinity
  let refuses = false
  const server = createServer((near) => {
    connections++
    if (refuses) return void near.destroy()
    const far = connect({ port, host: '127.0.0.1', noDelay: true })
    near.setNoDelay(true)
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (data) => {
      const passed = data.subarray(0, Math.max(0, left))
      left -= passed.length
      if (passed.length > 0) far.write(passed)
      if (left <= 0) near.pause()
    })
    far.on('data', (data) => near.write(data))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    stallAfter: (bytes) => void (left = bytes),
    cut(then) {
      refuses = then === 'refuse'
      left = Infinity
      cutAll()
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
