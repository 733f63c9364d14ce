import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `cut`: connections break, and new ones are refused. `silent`: nothing arrives any more, in either direction, and nobody
 * is told; what was sent arrives when it is open again, as after a break in the network. `deaf`: the same, only for the
 * connections that listen to a database.
 */
export type LinkState = 'open' | 'cut' | 'silent' | 'deaf'

/** The network between one replica and one server, for a test to break. */
export interface Link extends AsyncDisposable {
  /** Of 127.0.0.1: where the replica finds the server. */
  readonly port: number
  /** Connections to the server now. */
  readonly connections: number
  set(state: LinkState): void
  /** Milliseconds by which every piece is late. */
  delay: number
  /**
   * Cuts the connection whose next commit has reached the database before its answer is heard. Resolves once that has
   * happened; false when `letGo` came before.
   */
  loseNextCommit(): Promise<boolean>
  /**
   * Holds back the next commit of a transaction whose statements match, and all that follows on its connection, until
   * `letGo`. Resolves once it is held; false when `letGo` came before.
   */
  holdCommit(matching: RegExp): Promise<boolean>
  letGo(): void
}

/** A simple query, in the protocol of PostgreSQL: type, length, text, NUL. */
const COMMIT = /Q[^]{4}commit\0/i
const BEGIN = /Q[^]{4}(?:begin|start transaction)/i
const LISTEN = /Q[^]{4}listen /i
/** How much of a transaction's statements is remembered. */
const REMEMBERED = 50_000

interface Pair {
  readonly near: Socket
  readonly far: Socket
  listens: boolean
  held: boolean
  /** The answer to its commit must not be heard. */
  losing: boolean
  statements: string
}

export async function openLink(target: { readonly host: string; readonly port: number }): Promise<Link> {
  const pairs = new Set<Pair>()
  let state: LinkState = 'open'
  let changed = Promise.withResolvers<void>()
  let losing: ((lost: boolean) => void) | null = null
  let holding: { matching: RegExp; caught: (held: boolean) => void } | null = null
  const link = { delay: 0 }
  const tell = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const stopped = (pair: Pair): boolean => pair.held || state === 'silent' || (state === 'deaf' && pair.listens)
  const cut = (pair: Pair): void => {
    pairs.delete(pair)
    pair.near.destroy()
    pair.far.destroy()
  }

  /** Looks at what the replica says to the database. */
  function look(pair: Pair, data: Buffer): void {
    const text = data.toString('latin1')
    if (LISTEN.test(text)) pair.listens = true
    if (BEGIN.test(text)) pair.statements = ''
    pair.statements = (pair.statements + text).slice(-REMEMBERED)
    if (!COMMIT.test(text)) return
    if (losing !== null) {
      pair.losing = true
      losing(true)
      losing = null
    }
    if (holding?.matching.test(pair.statements)) {
      pair.held = true
      holding.caught(true)
      holding = null
    }
  }

  function carry(pair: Pair, from: Socket, to: Socket, seen: (data: Buffer) => void): void {
    let last: Promise<unknown> = Promise.resolve()
    const inOrder = (work: () => void): void => {
      const { delay } = link
      last = last.then(async () => {
        if (delay > 0) await sleep(delay)
        while (stopped(pair)) await changed.promise
        work()
      })
    }
    from.on('data', (data: Buffer) => {
      seen(data)
      if (from === pair.far && pair.losing) return cut(pair)
      // Without a detour while nothing is wrong: a link that slows everybody down would hide more than it shows.
      inOrder(() => void to.write(data))
    })
    from.on('error', () => undefined)
    // Nobody hears of an end on the other side of a silent network, either.
    from.on('close', () =>
      inOrder(() => {
        pairs.delete(pair)
        to.end()
        to.destroySoon()
      }),
    )
  }

  const server = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    const far = connect(target.port, target.host)
    for (const socket of [near, far]) socket.setNoDelay(true)
    const pair: Pair = { near, far, listens: false, held: false, losing: false, statements: '' }
    pairs.add(pair)
    carry(pair, near, far, (data) => look(pair, data))
    carry(pair, far, near, () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return Object.assign(link, {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return pairs.size
    },
    set(next: LinkState) {
      state = next
      if (next === 'cut') for (const pair of pairs) cut(pair)
      tell()
    },
    loseNextCommit() {
      return new Promise<boolean>((lost) => (losing = lost))
    },
    holdCommit(matching: RegExp) {
      return new Promise<boolean>((caught) => (holding = { matching, caught }))
    },
    letGo() {
      holding?.caught(false)
      holding = null
      losing?.(false)
      losing = null
      for (const pair of pairs) pair.held = false
      tell()
    },
    async [Symbol.asyncDispose]() {
      state = 'open'
      tell()
      for (const pair of pairs) cut(pair)
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}
