import { z } from 'zod'

/** Slashes, control characters and direction marks: a name must look like what it is. */
const FORBIDDEN = /[/\\\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u

/** What `write` takes, and with it its preview and its verification. */
export const WRITE_INPUT = z.strictObject({
  name: z.string().min(1).max(255).describe('File name with its ending, no path'),
  text: z.string().max(4_000_000).optional(),
  base64: z.string().max(6_000_000).optional(),
  replaces: z
    .string()
    .max(255)
    .optional()
    .describe('Id or name of the stored file that gets this content instead of its own; leave it out for a new file'),
})

/** The name and the bytes that a call wants to store. @throws {Error} with a sentence */
export function bytesToWrite({ name: given, text, base64 }: z.output<typeof WRITE_INPUT>): {
  readonly name: string
  readonly data: Buffer
} {
  const name = given.normalize('NFC').trim()
  if (FORBIDDEN.test(given) || !given.isWellFormed() || /^\.{0,2}$/.test(name)) {
    throw new Error('The name must be a plain file name: no slashes, no control or text-direction characters.')
  }
  if ((text === undefined) === (base64 === undefined)) throw new Error('Give either "text" or "base64".')
  return { name, data: text === undefined ? decode(base64 ?? '') : Buffer.from(text, 'utf8') }
}

function decode(base64: string): Buffer {
  const plain = base64.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.length % 4 !== 0)
    throw new Error('"base64" is not valid base64 with padding.')
  return Buffer.from(plain, 'base64')
}
