import { posix } from 'node:path'
import { z } from 'zod'
import type { Machine } from '../../../server/modules/machines.ts'
import { machineTool } from '../machine-tool.ts'
import { readCertificates } from '../programs/read-certificates.ts'

const FILE_LIMIT = 1024 * 1024
const FILES = 500
const NAMES = /\.(?:pem|crt|cer|der)$/i
/** Where programs that renew certificates and common servers keep them. */
const USUAL = [
  '/etc/letsencrypt/live',
  '/etc/ssl/private',
  '/etc/nginx',
  '/etc/apache2',
  '/etc/haproxy',
  '/etc/pki/tls/certs',
]
const Path = z
  .string()
  .max(4000)
  .regex(/^\/[^\0]*$/)

/** Says what certificates are in files, and how long they are valid. */
export const certificatesTool = machineTool({
  name: 'certificates',
  title: 'Certificates',
  description:
    'X.509 certificates in files, or in all .pem, .crt, .cer and .der files below folders: names, issuer, validity and days left, those that end first at the top. ' +
    'Without "paths" it looks where servers usually keep them. Keys are never shown.',
  effect: 'read',
  main_argument: 'paths',
  input: z.strictObject({
    paths: z.array(Path).min(1).max(50).optional().describe('Absolute paths of files or folders'),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ paths, limit }, { machine, signal }) {
    const { files, more } = await filesOf(machine, paths ?? USUAL, signal)
    const read = await machine.readFiles(files, { max: FILE_LIMIT }, signal)
    const now = Date.now() + (await machine.facts(signal)).clock.offset_ms
    const denied = [...read].filter(([, file]) => file === 'denied').map(([path]) => path)
    const missing = paths === undefined ? [] : [...read].filter(([, file]) => file === 'missing').map(([path]) => path)
    const rows = [...read].flatMap(([file, content]) =>
      typeof content === 'string'
        ? []
        : readCertificates(content.bytes, now).map((certificate) => ({ file, ...certificate })),
    )
    rows.sort((a, b) => (a.days ?? Infinity) - (b.days ?? Infinity) || (a.file < b.file ? -1 : 1))
    const ended = rows.filter(({ days }) => days !== null && days < 0).length
    const soon = rows.filter(({ days }) => days !== null && days >= 0 && days < 30).length
    const notes = [
      missing.length > 0 ? ` There is no ${missing.slice(0, 10).join(', ')}.` : '',
      denied.length > 0 ? ` This account may not read ${denied.slice(0, 10).join(', ')}.` : '',
      more ? ` Only the first ${FILES} files were looked into.` : '',
    ]
    return {
      text: `${rows.length} certificates. ${ended} have ended, ${soon} end within 30 days.${notes.join('')}`,
      tables: [
        {
          title: 'Certificates',
          columns: [
            { key: 'subject', label: 'Subject', type: 'text' },
            { key: 'days', label: 'Days left', type: 'integer' },
            { key: 'until', label: 'Valid until', type: 'datetime' },
            { key: 'names', label: 'Names', type: 'text' },
            { key: 'issuer', label: 'Issuer', type: 'text' },
            { key: 'from', label: 'Valid from', type: 'datetime' },
            { key: 'self_signed', label: 'Self-signed', type: 'boolean' },
            { key: 'file', label: 'File', type: 'text' },
            { key: 'fingerprint', label: 'SHA-256', type: 'text' },
          ],
          rows: rows.slice(0, limit),
          total_rows: rows.length,
        },
      ],
    }
  },
})

/** Files as they are, and of folders the files that may be certificates by their names; links to files count. */
async function filesOf(machine: Machine, paths: readonly string[], signal: AbortSignal) {
  const listed = await Promise.all(
    paths.map(async (path) => {
      const entries = await machine.listDir(path, { max: 5000, deep: true }, signal)
      if (typeof entries === 'string') return [path]
      return entries
        .filter(({ name, kind }) => kind !== 'directory' && NAMES.test(name))
        .map(({ name }) => posix.join(path, name))
    }),
  )
  const files = [...new Set(listed.flat())]
  return { files: files.slice(0, FILES), more: files.length > FILES }
}
