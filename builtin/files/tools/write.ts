import { z } from 'zod'
import type { ModuleFiles } from '../../../server/modules/module-files.ts'
import { tool } from '../../tool.ts'

/** Slashes, control characters and direction marks: a name must look like what it is. */
const FORBIDDEN = /[/\\\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u

/** Creates a new stored file of the run. */
export const writeTool = (files: ModuleFiles) =>
  tool({
    name: 'write',
    title: 'Write a file',
    description:
      'Stores a new file that the person can open and download: from "text", or from "base64" for other bytes. It never overwrites: a second file with the same name ' +
      'is a second file. The type follows from the ending of the name.',
    effect: 'write',
    input: z.strictObject({
      name: z.string().min(1).max(255).describe('File name with its ending, no path'),
      text: z.string().max(4_000_000).optional(),
      base64: z.string().max(6_000_000).optional(),
    }),
    summary: 'Stores a new file {name}',
    async run({ name: given, text, base64 }, context) {
      const name = given.normalize('NFC').trim()
      if (FORBIDDEN.test(given) || !given.isWellFormed() || /^\.{0,2}$/.test(name)) {
        throw new Error('The name must be a plain file name: no slashes, no control or text-direction characters.')
      }
      if ((text === undefined) === (base64 === undefined)) throw new Error('Give either "text" or "base64".')
      const refusal = await files.permission(context, 'files.create')
      if (refusal !== null) throw new Error(refusal)
      const data = text === undefined ? decode(base64 ?? '') : Buffer.from(text, 'utf8')
      return {
        text: `Made the file ${JSON.stringify(name)} with ${data.byteLength} bytes.`,
        files: [{ name, media_type: text === undefined ? 'application/octet-stream' : 'text/plain', data }],
      }
    },
  })

function decode(base64: string): Buffer {
  const plain = base64.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.length % 4 !== 0)
    throw new Error('"base64" is not valid base64 with padding.')
  return Buffer.from(plain, 'base64')
}
