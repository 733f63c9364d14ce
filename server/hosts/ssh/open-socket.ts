import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, connect, isIP, type Socket } from 'node:net'
import { addressKind } from '../../kernel/network/address-kind.ts'
import { embeddedV4 } from '../../kernel/network/embedded-v4.ts'
import { unlessAborted } from './turns.ts'

export type Lookup = (name: string) => Promise<readonly { address: string; family: number }[]>

/** Where clouds answer whatever asks them from a machine; nobody administers a machine by an address that it gave itself. */
const LINK_LOCAL = new BlockList()
LINK_LOCAL.addSubnet('169.254.0.0', 16)

/** Whether a machine may be at this IP address: not where metadata services are, nor at one of many at once. */
export function mayBeMachine(address: string): boolean {
  const v4 = isIP(address) === 6 ? embeddedV4(address.replace(/%.*$/, '')) : address
  return addressKind(address) !== 'never' && (v4 === null || !LINK_LOCAL.check(v4))
}

/** The address is one that is never connected to. */
export class ForbiddenAddress extends Error {
  constructor(address: string) {
    super(`${address} leads to an address where no machine may be: metadata services and multicast are refused`)
  }
}

/**
 * Connects, without delays for small packets, to an address that has been judged after the name was resolved, so nothing
 * is resolved a second time. Rejects with ForbiddenAddress, or with the error of the system.
 */
export async function openSocket(
  address: string,
  port: number,
  signal: AbortSignal,
  lookup: Lookup = resolve,
): Promise<Socket> {
  const found =
    isIP(address) === 0 ? await unlessAborted(lookup(address), signal) : [{ address, family: isIP(address) }]
  const allowed = found.filter((each) => mayBeMachine(each.address))
  if (allowed.length === 0) throw new ForbiddenAddress(address)
  signal.throwIfAborted()
  // With a name, Node tries the addresses one after the other; it asks us for them.
  const answer = allowed.map((each) => ({ address: each.address, family: each.family }))
  const socket = connect({
    host: allowed.length === 1 ? answer[0]!.address : address,
    port,
    noDelay: true,
    autoSelectFamily: true,
    lookup: (_name, _options, done) => (done as (error: null, found: typeof answer) => void)(null, answer),
  })
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy()
      signal.removeEventListener('abort', onAbort)
      reject(error)
    }
    const onAbort = () => fail(signal.reason as Error)
    socket.once('error', fail)
    signal.addEventListener('abort', onAbort, { once: true })
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

function resolve(name: string): ReturnType<Lookup> {
  return systemLookup(name, { all: true })
}
