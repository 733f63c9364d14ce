import { generateKeyPairSync } from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../server/kernel/text/canonical.ts'
import { contradictions } from '../server/receipts/check-receipt.ts'
import { HEAD_TYPE, Receipt, RECEIPT_TYPE } from '../server/receipts/documents.ts'
import { type Envelope, signDocument } from '../server/receipts/envelope.ts'
import { publicKey, type Signer } from '../server/receipts/signing-key.ts'
import { type Trust, verifyDocument } from '../server/receipts/verify-document.ts'

function newSigner(): Signer {
  const { publicKey: pem, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const pair = publicKey(pem)
  return { ...pair, privateKey: privateKey as never }
}

const ours = newSigner()
const theirs = newSigner()
const at = '2026-01-31T12:00:00.000Z'
const person = { user_id: 'usr_1', username: 'lee', display_name: 'Lee' }

function receiptOf(signer: Signer): Receipt {
  const row = {
    at: Date.parse(at),
    actor_id: 'usr_1',
    actor: 'lee',
    action: 'approval.approved',
    target: 'apr_1',
    outcome: 'ok' as const,
    details: JSON.stringify({ arguments_hash: 'a'.repeat(64), definition_hash: 'b'.repeat(64) }),
    previous_hash: '0'.repeat(64),
  }
  return {
    schema: 'reeve.receipt/1',
    signed_by: {
      installation: { name: 'mill', address: 'https://mill.example', reeve: '0.1.0' },
      key: { key_id: signer.key_id, public_key: signer.pem },
      signed_at: at,
    },
    approval: {
      approval_id: 'apr_1',
      kind: 'call',
      asked_by: person,
      conversation_id: 'cnv_1',
      run_id: 'run_1',
      requested_at: at,
      expires_at: at,
      summary: 'Runs a command.',
      reason: 'Role “staff” has the rule “tool:system.run_command: ask”.',
      rules_hash: 'c'.repeat(64),
      status: 'approved',
      decision: 'approve',
      decided_by: person,
      decided_at: at,
      decision_reason: 'Routine.',
    },
    call: {
      tool_call_id: 'tcl_1',
      module: 'system',
      module_version: '1',
      tool: 'run_command',
      title: 'Run command',
      effect: 'destructive',
      definition_hash: 'b'.repeat(64),
      arguments: { command: 'uptime', args: ['-p', 1.5, null, true] },
      arguments_hash: 'a'.repeat(64),
      status: 'done',
      started_at: at,
      ended_at: at,
    },
    audit: [{ audit_id: 7, ...row, hash: hashOf(row) }],
  }
}

const receipt = receiptOf(ours)
const text = signDocument(RECEIPT_TYPE, receipt, ours)
const envelope = JSON.parse(text) as Envelope
const trust: Trust = { keys: [ours], fingerprints: [] }
const verdictOf = (bytes: string | Uint8Array, by = trust) =>
  verifyDocument(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, { type: RECEIPT_TYPE, schema: Receipt }, by)
    .verdict
const encode = (value: unknown) => Buffer.from(canonicalize(value)!).toString('base64')

/** The path of every value in a document, containers included. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [[...path]]
  return [[...path], ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))]
}

/** A copy with the value at a path replaced, or removed. */
function changed(value: unknown, [key, ...rest]: readonly string[], to: { value: unknown } | null): unknown {
  if (key === undefined) return to?.value
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>
  if (rest.length === 0 && to === null && Array.isArray(copy)) copy.splice(Number(key), 1)
  else if (rest.length === 0 && to === null) delete copy[key]
  else copy[key] = changed(copy[key], rest, to)
  return copy
}

test('a receipt is genuine as it is, with white space, and by its fingerprint', () => {
  expect(contradictions(receipt)).toEqual([])
  expect(verdictOf(text)).toBe('valid')
  expect(verdictOf(`${JSON.stringify(envelope, null, 2)}\r\n`)).toBe('valid')
  expect(verdictOf(text, { keys: [], fingerprints: [ours.key_id] })).toBe('valid')
  expect(verdictOf(text, { keys: [theirs], fingerprints: [theirs.key_id] })).toBe('unknown_key')
})

test('no value of a receipt can be changed or removed', () => {
  const values = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}))
  const of = fc.record({
    path: fc.constantFrom(...pathsOf(receipt).slice(1)),
    to: fc.option(fc.record({ value: values })),
  })
  fc.assert(
    fc.property(of, ({ path, to }) => {
      const other = changed(receipt, path, to)
      fc.pre(canonicalize(other) !== canonicalize(receipt))
      const forged = JSON.stringify({ ...envelope, payload: encode(other) })
      expect(['bad_signature', 'not_a_document']).toContain(verdictOf(forged))
      expect(verdictOf(forged, { keys: [], fingerprints: [ours.key_id] })).not.toBe('valid')
    }),
    { numRuns: 2000 },
  )
  for (const path of pathsOf(receipt).slice(1)) {
    const forged = JSON.stringify({ ...envelope, payload: encode(changed(receipt, path, null)) })
    expect([path, verdictOf(forged)]).not.toContain('valid')
  }
})

test('no character of the file can be another one', () => {
  const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.nat(text.length - 1), printable, (index, character) => {
      fc.pre(text[index] !== character)
      const forged = text.slice(0, index) + character + text.slice(index + 1)
      expect(verdictOf(forged)).not.toBe('valid')
    }),
    { numRuns: 5000 },
  )
  // Base64 has spellings that decode to the same bytes.
  const { sig } = envelope.signatures[0]
  for (const other of [sig.replace('==', ''), sig.replaceAll('+', '-').replaceAll('/', '_'), `${sig.slice(0, -3)}x==`])
    if (other !== sig) expect(verdictOf(text.replace(sig, other))).not.toBe('valid')
})

test('a signature of another key, of another kind of document, or over another document does not count', () => {
  const forged = JSON.parse(signDocument(RECEIPT_TYPE, receipt, theirs)) as Envelope
  // Signed by them, with our key in it.
  expect(verdictOf(JSON.stringify(forged))).toBe('bad_signature')
  expect(verdictOf(JSON.stringify({ ...forged, signatures: [{ ...forged.signatures[0], keyid: ours.key_id }] }))).toBe(
    'bad_signature',
  )
  expect(verdictOf(signDocument(RECEIPT_TYPE, receiptOf(theirs), theirs))).toBe('unknown_key')
  expect(verdictOf(signDocument(HEAD_TYPE, receipt, ours))).toBe('wrong_type')
  expect(verdictOf(text.replace(RECEIPT_TYPE, HEAD_TYPE))).toBe('wrong_type')
  expect(
    verdictOf(
      JSON.stringify({ ...(JSON.parse(signDocument(HEAD_TYPE, receipt, ours)) as object), payloadType: RECEIPT_TYPE }),
    ),
  ).toBe('bad_signature')
  expect(verdictOf(signDocument(RECEIPT_TYPE, { ...receipt, more: 1 }, ours))).toBe('not_a_document')
})

describe('what is no receipt is refused, whatever it is', () => {
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`
  test.each<[string, string | Uint8Array, string]>([
    ['nothing', '', 'not_a_document'],
    ['ten megabytes', 'x'.repeat(10 * 1024 * 1024), 'not_a_document'],
    ['a deep list', deep, 'not_a_document'],
    ['a deep list in an envelope', text.replace(/"payload":"[^"]+"/, `"payload":${deep}`), 'not_a_document'],
    [
      'a deep payload',
      JSON.stringify({ ...envelope, payload: Buffer.from(deep).toString('base64') }),
      'not_a_document',
    ],
    ['a key twice', text.replace('{', '{"payloadType":"x",'), 'not_a_document'],
    ['a key twice, escaped', text.replace('{', '{"p\\u0061yload":"eA==",'), 'not_a_document'],
    ['another key', text.replace('{', '{"more":1,'), 'not_a_document'],
    ['a byte order mark', `\ufeff${text}`, 'not_a_document'],
    ['something after it', `${text}\n{}`, 'not_a_document'],
    ['a NUL after it', `${text}\0`, 'not_a_document'],
    ['no-break space', `${text}\u00a0`, 'not_a_document'],
    ['its first half', text.slice(0, text.length / 2), 'not_a_document'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b, 0x7d]), 'not_a_document'],
    [
      'two signatures',
      JSON.stringify({ ...envelope, signatures: [envelope.signatures[0], envelope.signatures[0]] }),
      'not_a_document',
    ],
    ['no signature', JSON.stringify({ ...envelope, signatures: [] }), 'not_a_document'],
    ['null', 'null', 'not_a_document'],
    ['an empty payload', JSON.stringify({ ...envelope, payload: '' }), 'not_a_document'],
    [
      'a payload that is not canonical',
      JSON.stringify({ ...envelope, payload: Buffer.from(JSON.stringify(receipt)).toString('base64') }),
      'not_a_document',
    ],
    ['a payload of null', JSON.stringify({ ...envelope, payload: encode(null) }), 'bad_signature'],
  ])('%s', (_name, bytes, verdict) => {
    expect(verdictOf(bytes)).toBe(verdict)
  })
})

test('a signed receipt whose entries are about something else contradicts itself', () => {
  const entry = receipt.audit[0]!
  const told = (change: Partial<typeof entry>, rest: Partial<Receipt> = {}) =>
    contradictions({ ...receipt, ...rest, audit: [{ ...entry, ...change }] }).length
  expect(told({})).toBe(0)
  expect(told({ target: 'apr_2' })).toBeGreaterThan(0)
  for (const details of ['{}', '', 'null', '[', '{"arguments_hash":[]}']) expect(told({ details })).toBeGreaterThan(0)
  expect(told({ actor_id: 'usr_2' })).toBeGreaterThan(0)
  expect(told({}, { call: { ...receipt.call!, arguments_hash: 'd'.repeat(64) } })).toBeGreaterThan(0)
  expect(told({}, { approval: { ...receipt.approval, status: 'denied' } })).toBeGreaterThan(0)
  expect(contradictions({ ...receipt, audit: [entry, entry] })).toEqual(['The audit entries are out of order.'])
})
