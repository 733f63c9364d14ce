import { createReadStream } from 'node:fs'
import { publicKey } from '../receipts/signing-key.ts'
import type { Trust } from '../receipts/verify-document.ts'
import { type Arguments, CommandProblem, UsageProblem } from './command.ts'
import type { Terminal } from './terminal.ts'

const PEM = /-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----/g
const LIMIT = 1024 * 1024

/** The options by which a command is told whom to trust. */
export const TRUST_OPTIONS = { key: { type: 'string' }, trust: { type: 'string' } } as const

/** The keys in the file of `--key`, and the fingerprint of `--trust`. @throws {UsageProblem, CommandProblem} */
export async function readTrust(terminal: Terminal, { values }: Arguments): Promise<Trust> {
  const { key, trust } = values
  const fingerprints: string[] = []
  if (trust !== undefined) {
    const digits = String(trust).replaceAll(/[:\s]/g, '').toLowerCase()
    if (!/^[0-9a-f]{64}$/.test(digits))
      throw new UsageProblem(
        '--trust takes the whole SHA-256 fingerprint: 64 hexadecimal digits, with or without colons.',
      )
    fingerprints.push(digits)
  }
  if (key === undefined) return { keys: [], fingerprints }
  const file = terminal.path(String(key))
  const found = (await readInput(file, LIMIT)).toString('latin1').match(PEM) ?? []
  if (found.length === 0) throw new CommandProblem(`${file} has no public key in PEM (BEGIN PUBLIC KEY).`)
  try {
    return { keys: found.map((pem) => publicKey(pem)), fingerprints }
  } catch {
    throw new CommandProblem(`${file} has a key that is not an Ed25519 public key.`)
  }
}

/** A file that somebody gave, at most `limit` + 1 bytes of it. @throws {CommandProblem} */
export async function readInput(file: string, limit: number): Promise<Buffer> {
  try {
    // One byte more than is accepted shows that it is too large, whatever it is: a device has no size.
    const pieces: Buffer[] = []
    for await (const piece of createReadStream(file, { end: limit })) pieces.push(piece as Buffer)
    return Buffer.concat(pieces)
  } catch (error) {
    throw new CommandProblem(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`)
  }
}
