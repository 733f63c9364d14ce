import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { exportAudit } from '../accounts/audit/audit-export.ts'
import { chainStart } from '../accounts/audit/audit-retention.ts'
import { openAudit } from '../accounts/audit/audit.ts'
import type { ChainState } from '../accounts/audit/verify-chain.ts'
import type { Database } from '../db/database.ts'
import { collectHeads, removedTooEarly } from '../receipts/check-heads.ts'
import { lastHead } from '../receipts/heads.ts'
import { publicKey } from '../receipts/signing-key.ts'
import type { Trust } from '../receipts/verify-document.ts'
import { type Arguments, type Command, CommandProblem, type Outcome, UsageProblem } from './command.ts'
import { openCurrentPlace } from './open-place.ts'
import { placeReceipts } from './place-receipts.ts'
import type { Terminal } from './terminal.ts'
import { readTrust, TRUST_OPTIONS } from './trusted-keys.ts'

/** `reeve audit`: the audit log for other programs, and whether it is what it was. */
export const auditCommand: Command = {
  summary: 'export the audit log, verify it, show or sign its head',
  usage: `audit export <new file> [--from <time>] [--to <time>]
       reeve audit verify [--heads <file>] [--key <public key.pem> | --trust <fingerprint>]
       reeve audit head [--sign]`,
  actions: ['export', 'verify', 'head'],
  about: `All of them can be run while the service is running. export: NDJSON, oldest first: each line is an entry with its hash and the
previous hash, so that a complete export can be verified by itself. Times are ISO 8601, such as 2026-01-31T00:00:00Z.

verify checks the chain of hashes, and that the log still has every entry whose head was signed. --heads names a file with signed
heads that was kept elsewhere: what REEVE_AUDIT_HEADS_FILE wrote, a webhook received, or a syslog service stored. The log cannot be
cut off or rewritten without contradicting them. Their key is --key or --trust, else those of this installation. New entries become
part of the chain within a second. Exit code 1 if something is missing or changed, or an entry cannot be chained for five minutes.

head shows the last signed head. The service signs one each day (UTC) and sends it; --sign does it now, unless it was done today.`,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    heads: { type: 'string' },
    sign: { type: 'boolean' },
    ...TRUST_OPTIONS,
  },
  async run(terminal, given) {
    const [action, ...rest] = given.positionals
    if (action === 'export' && rest.length === 1) return exportTo(terminal, given, rest[0]!)
    if (action === 'verify' && rest.length === 0) return verify(terminal, given)
    if (action === 'head' && rest.length === 0) return head(terminal, given)
    throw new UsageProblem('Name what to do: export and one new file, verify, or head.')
  },
}

async function exportTo(terminal: Terminal, { values }: Arguments, typed: string): Promise<Outcome> {
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
}

async function verify(terminal: Terminal, given: Arguments): Promise<Outcome> {
  const { heads: typed } = given.values
  const trusted = await readTrust(terminal, given)
  await using place = await openCurrentPlace(terminal)
  const { db, config } = place
  const log = openAudit(db, Date.now)
  if (typed === undefined) return told(await log.verify(), [], 'the heads that were signed here')
  const file = terminal.path(String(typed))
  const trust = given.values['key'] || given.values['trust'] ? trusted : await ownKeys(db)
  const { heads, refused } = await collectHeads(linesOf(file), trust)
  const problems = refused.map(({ line, problem }) => `${file}, line ${line}: ${problem}`)
  if (heads.length === 0) problems.push(`${file} has no signed head that counts.`)
  const start = await chainStart(db.read)
  for (const { audit_id, day } of removedTooEarly(heads, { start, keepDays: config.keepAudit, now: Date.now() }))
    problems.push(`Entry ${audit_id} was in the log on ${day}, and was removed before its time.`)
  return told(await log.verify(heads), problems, `${heads.length} signed heads in ${file}`)
}

function told(state: ChainState, problems: readonly string[], by: string): Outcome {
  const { entries, first_broken_id, missing_from, proven_to, unchained, unchained_since } = state
  const ok = state.ok && problems.length === 0
  const found = [...problems]
  if (first_broken_id !== null)
    found.push(
      `Entry ${first_broken_id} is not what it was: ${proven_to === undefined ? 'something up to it' : `something between entry ${proven_to} and it`} was changed.`,
    )
  if (missing_from !== undefined)
    found.push(`Entries from ${missing_from} on are missing: the end of the log was cut off.`)
  if (unchained_since !== undefined)
    found.push(`${unchained} entries are not part of the chain, the oldest since ${unchained_since}: chaining fails.`)
  const proven =
    proven_to === undefined ? `No entry is confirmed by ${by}.` : `Confirmed up to entry ${proven_to} by ${by}.`
  const waiting = unchained > 0 ? ` ${unchained} more are not chained yet.` : ''
  const text = ok
    ? `The audit log is unchanged: ${entries} entries.${waiting} ${proven}`
    : [...found, proven].join('\n')
  return { code: ok ? 0 : 1, value: { ...state, ok, problems }, text }
}

/** All keys this installation has ever published. */
async function ownKeys(db: Database): Promise<Trust> {
  const rows = await db.read.selectFrom('signing_key').select('public_key').execute()
  return { keys: rows.map(({ public_key }) => publicKey(public_key)), fingerprints: [] }
}

async function* linesOf(file: string): AsyncIterable<string> {
  const input = createReadStream(file, 'utf8')
  try {
    yield* createInterface({ input, crlfDelay: Infinity })
  } catch (error) {
    throw new CommandProblem(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`)
  } finally {
    input.destroy()
  }
}

async function head(terminal: Terminal, { values }: Arguments): Promise<Outcome> {
  await using place = await openCurrentPlace(terminal)
  const signed =
    values['sign'] === true && (await (await placeReceipts(place, terminal)).sweep(new AbortController().signal))
  const last = await lastHead(place.db)
  if (last === null) return { code: 1, value: { ok: false, head: null }, text: 'No head has been signed yet.' }
  const sent = last.sent.map(({ place: to, sent_at, problem }) =>
    sent_at === null ? `${to}: not sent${problem === null ? '' : `: ${problem}`}` : `${to}: sent ${sent_at}`,
  )
  const unsent = last.sent.some(({ problem }) => problem !== null)
  return {
    code: unsent ? 1 : 0,
    value: { ok: !unsent, signed, head: last },
    text: [`${last.day}: entry ${last.audit_id}, hash ${last.hash}, signed ${last.signed_at}`, ...sent].join('\n'),
  }
}

function time(given: string | boolean | undefined): string | undefined {
  if (given === undefined) return undefined
  const at = new Date(String(given))
  if (Number.isNaN(at.getTime())) throw new UsageProblem(`${String(given)} is not a time.`)
  return at.toISOString()
}
