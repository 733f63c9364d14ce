import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { addressKind } from '../../kernel/network/address-kind.ts'

/** The host was not granted, or its address is not public. */
export class NetworkRefusal extends Error {}

/** Decides which hosts a module may reach. An entry is a host name, `*.suffix`, or the literal address of a machine. */
export class NetworkGrant {
  readonly #names: ReadonlySet<string>
  readonly #suffixes: readonly string[]

  constructor(hosts: readonly string[]) {
    const entries = hosts.map(plain)
    this.#names = new Set(entries.filter((entry) => !entry.startsWith('*.')))
    this.#suffixes = entries.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(1))
  }

  /**
   * Returns the addresses to connect to. A granted literal address is used as it is; a name is resolved, and refused
   * when it leads to this machine or a private network. @throws {NetworkRefusal}
   */
  async resolve(host: string): Promise<LookupAddress[]> {
    const name = plain(host)
    const address = isIP(name) !== 0
    // An address is granted as a whole or not at all: a matching suffix means nothing.
    const granted = this.#names.has(name) || (!address && this.#suffixes.some((suffix) => name.endsWith(suffix)))
    if (!granted) throw new NetworkRefusal(`The module may not reach ${name}: it was not granted.`)
    if (address) return [{ address: name, family: isIP(name) }]
    // To a resolver, 127.1 and 0x7f000001 are addresses; no public name ends in a number.
    if (/(?:^|\.)(?:0x[0-9a-f]*|\d+)$/.test(name)) {
      throw new NetworkRefusal(`The module may not reach ${name}: write the address in full.`)
    }
    const addresses = await lookup(name, { all: true })
    if (addresses.some((each) => addressKind(each.address) !== 'public')) {
      throw new NetworkRefusal(
        `The module may not reach ${name}: it leads to this machine or into a private network. Grant its address instead.`,
      )
    }
    return addresses
  }
}

function plain(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '')
}
