import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A network between a service and PostgreSQL that a test can break. */
export interface CutProxy extends AsyncDisposable {
  /** The database's URL, by way of this network. */
  readonly url: string
  /** How many commits came by since the last `loseAnswerOf`. */
  readonly commits: number
  /** Cuts the connection after the n-th commit from now has reached the database and before its answer is heard. */
  loseAnswerOf(n: number): void
  /** Once the database has done the next statement that matches, and before its answer is heard: `strike`, once. */
  after(statement: RegExp, strike: () => void): void
  /** Cuts every connection, and refuses new ones until `mend`. */
  cut(): void
  /** Nothing gets through in either direction until `mend`, and nobody is told; then everything arrives. */
  swallow(): void
  mend(): void
}

/** A simple query `commit`, in the protocol of PostgreSQL: type, length, text, NUL. */
const COMMIT = /Q[^]{4}commit\0/i

export async function openCutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  let commits = 0
  let lost = Infinity
  let broken = false
  let swallowing = false
  let awaited: { readonly statement: RegExp; readonly strike: () => void } | null = null
  const server = createServer((near) => {
    if (broken) return void near.destroy()
    const far = connect(Number(target.port), target.hostname)
    const cutHere = (): void => {
      near.destroy()
      far.destroy()
    }
    let deaf = false
    let strike: (() => void) | undefined
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', cutHere)
      socket.on('close', () => {
        open.delete(socket)
        cutHere()
      })
    }
    near.on('data', (data) => {
      const text = data.toString('latin1')
      if (COMMIT.test(text) && ++commits === lost) deaf = true
      if (awaited?.statement.test(text)) {
        strike = awaited.strike
        awaited = null
      }
      far.write(data)
    })
    far.on('data', (data) => {
      strike?.()
      strike = undefined
      // The answer says that the commit is done: now nobody may hear it.
      if (deaf) cutHere()
      else near.write(data)
    })
    if (swallowing) for (const socket of [near, far]) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cutAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    get commits() {
      return commits
    },
    loseAnswerOf(n) {
      commits = 0
      lost = n
    },
    after(statement, strike) {
      awaited = { statement, strike }
    },
    cut() {
      broken = true
      cutAll()
    },
    swallow() {
      swallowing = true
      for (const socket of open) socket.pause()
    },
    mend() {
      broken = false
      swallowing = false
      for (const socket of open) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
