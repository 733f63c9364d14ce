import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { exportAudit } from '../accounts/audit/audit-export.ts'
import { openAudit } from '../accounts/audit/audit.ts'
import { type Command, CommandProblem, UsageProblem } from './command.ts'
import { openCurrentPlace } from './open-place.ts'

/** `reeve audit export`: the audit log for other programs, without using the pages. */
export const auditCommand: Command = {
  summary: 'export the audit log',
  usage: 'audit export <new file> [--from <time>] [--to <time>]',
  actions: ['export'],
  about: `Can be run while the service is running. NDJSON, oldest first: each line is an entry with its hash and the previous hash, so that
a complete export can be verified by itself (reeve verify checks the same chain). Times are ISO 8601, such as 2026-01-31T00:00:00Z.`,
  options: { from: { type: 'string' }, to: { type: 'string' } },
  async run(terminal, { values, positionals }) {
    const [action, typed, ...more] = positionals
    if (action !== 'export' || typed === undefined || more.length > 0) throw new UsageProblem('Name one new file.')
    const filters = { from: time(values['from']), to: time(values['to']) }
    const file = terminal.path(typed)
    await using place = await openCurrentPlace(terminal)
    let entries = 0
    const { stream } = exportAudit(openAudit(place.db, Date.now), filters, new AbortController().signal)
    const counted = async function* (): AsyncIterable<Uint8Array> {
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        for (const byte of piece) if (byte === 10) entries++
        yield piece
      }
    }
    await pipeline(counted, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true })).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? new CommandProblem(`${file} already exists. Name another file.`) : error
      },
    )
    return { code: 0, value: { ok: true, file, entries }, text: `${file}: ${entries} entries.` }
  },
}

function time(given: string | boolean | undefined): string | undefined {
  if (given === undefined) return undefined
  const at = new Date(String(given))
  if (Number.isNaN(at.getTime())) throw new UsageProblem(`${String(given)} is not a time.`)
  return at.toISOString()
}
