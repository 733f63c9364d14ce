import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { addressKind } from '../../kernel/network/address-kind.ts'
import { grantedHost, type GrantedHost, plainHost, PRIVATE } from './granted-host.ts'

/** The host was not granted, or its address is not public. */
export class NetworkRefusal extends Error {}

/** Decides which hosts a module may reach. */
export class NetworkGrant {
  readonly #hosts: readonly GrantedHost[]

  constructor(hosts: readonly string[]) {
    this.#hosts = hosts.map(grantedHost)
  }

  /**
   * Returns the addresses to connect to. A granted literal address is used as it is; a name is resolved, and refused
   * when it leads to this machine or a private network, unless that was granted. @throws {NetworkRefusal}
   */
  async resolve(host: string, port: number): Promise<LookupAddress[]> {
    const name = plainHost(host)
    const granted = this.#hosts.filter((each) => covers(each, name, port))
    if (granted.length === 0) {
      const other = this.#hosts.some((each) => covers(each, name, null))
      throw new NetworkRefusal(
        other
          ? `The module may not reach port ${port} of ${name}: another port was granted.`
          : `The module may not reach ${name}: it was not granted.`,
      )
    }
    if (isIP(name) !== 0) return [{ address: name, family: isIP(name) }]
    // To a resolver, 127.1 and 0x7f000001 are addresses; no public name ends in a number.
    if (/(?:^|\.)(?:0x[0-9a-f]*|\d+)$/.test(name)) {
      throw new NetworkRefusal(`The module may not reach ${name}: write the address in full.`)
    }
    const addresses = await lookup(name, { all: true })
    const kinds = new Set(addresses.map(({ address }) => addressKind(address)))
    if (kinds.has('never'))
      throw new NetworkRefusal(`The module may not reach ${name}: no module may reach its address.`)
    if (kinds.has('private') && !granted.some(({ anywhere }) => anywhere)) {
      throw new NetworkRefusal(
        `The module may not reach ${name}: it leads to this machine or into a private network. Grant ${PRIVATE}${name} to allow that.`,
      )
    }
    return addresses
  }
}

/** `port`: null for any. */
function covers({ name: entry, port: only }: GrantedHost, name: string, port: number | null): boolean {
  if (only !== null && port !== null && only !== port) return false
  if (entry === name) return !entry.startsWith('*.')
  // An address is granted as a whole or not at all: a matching suffix means nothing.
  return entry.startsWith('*.') && isIP(name) === 0 && name.endsWith(entry.slice(1))
}
