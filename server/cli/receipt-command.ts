import { contradictions } from '../receipts/check-receipt.ts'
import { Receipt, RECEIPT_TYPE } from '../receipts/documents.ts'
import { DOCUMENT_LIMIT } from '../receipts/read-envelope.ts'
import { fingerprintOf } from '../receipts/signing-key.ts'
import { verifyDocument } from '../receipts/verify-document.ts'
import { commandLineCaller } from './command-line-caller.ts'
import { type Arguments, type Command, type Outcome, UsageProblem } from './command.ts'
import { openCurrentPlace } from './open-place.ts'
import { placeReceipts } from './place-receipts.ts'
import type { Terminal } from './terminal.ts'
import { readInput, readTrust, TRUST_OPTIONS } from './trusted-keys.ts'

/** `reeve receipt`: verifies a receipt anywhere; shows and changes the keys that sign them. */
export const receiptCommand: Command = {
  summary: 'verify the receipt of an approval offline; manage the keys that sign receipts',
  usage: `receipt verify <file> [--key <public key.pem> | --trust <fingerprint>]
       reeve receipt keys
       reeve receipt rotate-key`,
  actions: ['verify', 'keys', 'rotate-key'],
  about: `verify needs no data folder, no database and no network. --key names a file with the public keys (PEM, from Help →
Certificates of the installation), --trust their fingerprint. Exit code 0 only if a trusted key signed the receipt and nothing
in it was changed; without --key and --trust it says whose key it names, and exits with 1. --json prints the whole receipt.

keys prints the public keys of this installation. rotate-key makes a new key and erases the private part of the old one; old
public keys stay published, so receipts signed with them can still be verified. Both can be run while the service is running.`,
  options: TRUST_OPTIONS,
  async run(terminal, given) {
    const [action, ...rest] = given.positionals
    if (action === 'verify' && rest.length === 1) return verify(terminal, given, rest[0]!)
    if (rest.length === 0 && action === 'keys') return keys(terminal)
    if (rest.length === 0 && action === 'rotate-key') return rotate(terminal)
    throw new UsageProblem('Name what to do: verify and one file, keys, or rotate-key.')
  },
}

async function verify(terminal: Terminal, given: Arguments, typed: string): Promise<Outcome> {
  const trust = await readTrust(terminal, given)
  const file = terminal.path(typed)
  const bytes = await readInput(file, DOCUMENT_LIMIT)
  const result = verifyDocument(bytes, { type: RECEIPT_TYPE, schema: Receipt }, trust)
  if (!('document' in result)) {
    const { verdict, problem } = result
    return { code: 1, value: { ok: false, verdict, problem }, text: `${file} proves nothing. ${problem}` }
  }
  const { document: receipt, key_id } = result
  const wrong = contradictions(receipt)
  const verdict = wrong.length > 0 ? 'contradictory' : result.verdict
  const value = { ok: verdict === 'valid', verdict, key_id, problems: wrong, receipt }
  const shown = [...lines(receipt), '', `Key: ${fingerprintOf(key_id)}`]
  if (verdict === 'contradictory')
    return {
      code: 1,
      value,
      text: ['The receipt is signed, but contradicts itself:', ...wrong, '', ...shown].join('\n'),
    }
  if (verdict === 'unknown_key')
    return {
      code: 1,
      value,
      text: [
        'Nobody vouches for the key of this receipt, so it proves nothing yet. Compare its fingerprint with the one under Help → Certificates of the installation, then repeat this with --trust and the fingerprint.',
        '',
        ...shown,
      ].join('\n'),
    }
  return { code: 0, value, text: ['The receipt is genuine and unchanged.', '', ...shown, '', ...MEANING].join('\n') }
}

const MEANING = [
  'Proven: the installation with this key recorded exactly this, and nothing was changed since it was signed.',
  'Not proven: that the records were true when they were signed (whoever has the secret key of the installation can sign anything), the result of the call, and the masked parts of the arguments; their hash is that of the exact arguments. The entries of the audit log in it can be compared with the log.',
]

function lines({ signed_by, approval, call, audit }: Receipt): string[] {
  const { installation, signed_at } = signed_by
  const by = approval.decided_by
  return [
    `Installation: ${installation.name}, ${installation.address}`,
    `Signed:       ${signed_at}`,
    `Approval:     ${approval.approval_id}: ${approval.status}`,
    `Asked by:     ${approval.asked_by.username}, ${approval.requested_at}`,
    `Decided by:   ${by === null ? 'nobody' : by.username}${approval.decided_at === null ? '' : `, ${approval.decided_at}`}`,
    ...(approval.needs ?? []).map(({ role, count }) => `Needed:       ${count} of the role ${oneLine(role)}`),
    ...(approval.votes ?? []).map(
      ({ by: { username }, decision, at }) => `Vote:         ${decision} by ${username}, ${at}`,
    ),
    ...(approval.decision_reason === null ? [] : [`Reason:       ${oneLine(approval.decision_reason)}`]),
    `Rule:         ${oneLine(approval.reason)}`,
    ...(call === null
      ? []
      : [
          `Tool:         ${call.module}.${call.tool} (${oneLine(call.module_version)})`,
          `Arguments:    ${call.arguments === null ? 'left out, because they are too large' : JSON.stringify(call.arguments)}`,
          `              SHA-256 ${call.arguments_hash}`,
          `Outcome:      ${call.status}${call.ended_at === null ? ' when this was signed' : `, ${call.ended_at}`}`,
        ]),
    `Audit log:    ${audit.length === 0 ? 'no entries any more' : audit.map(({ audit_id, action }) => `${audit_id} ${action}`).join(', ')}`,
  ].map(printable)
}

/** Texts of people and modules: nothing in them moves the cursor or hides. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

async function keys(terminal: Terminal): Promise<Outcome> {
  await using place = await openCurrentPlace(terminal)
  const items = await (await placeReceipts(place, terminal)).keys.published()
  const text = items.map(
    ({ fingerprint_sha256, created_at, retired_at, public_key }) =>
      `${fingerprint_sha256}\n${created_at} to ${retired_at ?? 'now'}\n${public_key}`,
  )
  return { code: 0, value: { ok: true, items }, text: text.join('\n').trimEnd() }
}

async function rotate(terminal: Terminal): Promise<Outcome> {
  await using place = await openCurrentPlace(terminal)
  const { key_id, retired } = await (await placeReceipts(place, terminal)).keys.rotate(commandLineCaller())
  const fingerprint_sha256 = fingerprintOf(key_id)
  return {
    code: 0,
    value: { ok: true, key_id, fingerprint_sha256, retired },
    text: `Receipts are now signed with ${fingerprint_sha256}. Tell whoever verifies them; the old public key stays published.`,
  }
}
