import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { addressKind } from '../../../server/kernel/network/address-kind.ts'

/** Names of a machine besides its own: what systems write into their table of hosts. */
const USUAL = ['ip4-localhost', 'localhost.localdomain', 'ip6-localhost']

/**
 * A name that leads to this machine and nowhere else, wherever the tests run: a machine's own name may be unknown to its
 * resolver, or lead to a public address. Null where only `localhost` does, which some programs treat unlike any name.
 */
export async function privateName(): Promise<string | null> {
  for (const name of [hostname(), ...USUAL]) {
    const found = await lookup(name, { all: true }).catch(() => [])
    if (found.length > 0 && found.every(({ address }) => addressKind(address) === 'private')) return name
  }
  return null
}
