import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { contradictions } from '../server/receipts/check-receipt.ts'
import { Receipt, RECEIPT_TYPE } from '../server/receipts/documents.ts'
import { publicKey } from '../server/receipts/signing-key.ts'
import { verifyDocument } from '../server/receipts/verify-document.ts'
import { decide, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { runCommand } from './stage/command-line.ts'
import { startInstallation } from './stage/databases/backup-stage.ts'
import { databases } from './stage/servers/postgres.ts'

describe.each(databases)('receipts on $name', (database) => {
  let stage: Stage
  let folder: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    folder = await mkdtemp(join(tmpdir(), 'reeve-receipts-'))
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const fetchText = async (client: TestClient, path: string) => {
    const answer = await client.fetch(path)
    expect([path, answer.status]).toEqual([path, 200])
    return answer.text()
  }
  const receiptOf = (client: TestClient, id: string) => fetchText(client, `/api/chat/approvals/${id}/receipt`)
  const keys = () => stage.anonymous().call(contract.receipts.signingKeys)
  const verified = async (text: string) => {
    const { items } = await keys()
    const trust = { keys: items.map(({ public_key }) => publicKey(public_key)), fingerprints: [] }
    const result = verifyDocument(Buffer.from(text), { type: RECEIPT_TYPE, schema: Receipt }, trust)
    if (!('document' in result)) throw new Error(result.problem)
    expect(result.verdict).toBe('valid')
    expect(contradictions(result.document)).toEqual([])
    return result.document
  }

  test('tell who asked, what, which rule, who decided, how it ended, and the entries of the log that prove it', async () => {
    const { client, user_id } = await stage.member('lee')
    const asked = await say(client, '/system.run_command {"command": "uptime"}')
    const { approval_id } = asked.approvals[0]!
    const path = `/api/chat/approvals/${approval_id}/receipt`
    expect(await (await client.fetch(path)).json()).toMatchObject({ code: 'receipt_unavailable', status: 409 })
    await decide(client, approval_id, 'approve', { reason: 'Routine.' })
    const text = await receiptOf(client, approval_id)
    const receipt = await verified(text)
    const person = { user_id, username: 'lee', display_name: 'lee' }
    expect(receipt).toMatchObject({
      signed_by: { installation: { address: stage.url } },
      approval: {
        approval_id,
        asked_by: person,
        status: 'approved',
        decision: 'approve',
        decided_by: person,
        decision_reason: 'Routine.',
        reason: expect.stringContaining('role of lee'),
      },
      call: { tool: 'run_command', module: 'system', arguments: { command: 'uptime' }, status: 'done' },
      audit: [
        { action: 'approval.approved', target: approval_id },
        { action: 'tool.called', target: receipt.call!.tool_call_id },
      ],
    })

    // Nobody else's, except by who may read the log.
    const other = (await stage.member('max')).client
    expect((await other.fetch(path)).status).toBe(404)
    const admin = await stage.as('admin')
    expect((await admin.fetch(path)).status).toBe(404)
    for (const { audit_id } of receipt.audit) {
      expect((await other.fetch(`/api/admin/audit/${audit_id}/receipt`)).status).toBe(403)
      const again = await verified(await fetchText(admin, `/api/admin/audit/${audit_id}/receipt`))
      expect(again.call).toEqual(receipt.call)
    }
    const about = await admin.call(contract.accounts.audit, { query: { action: 'receipt.exported' } })
    expect(about.items.map(({ actor, target }) => [actor, target])).toEqual([
      ['admin', approval_id],
      ['admin', approval_id],
      ['lee', approval_id],
    ])
    // A setup is not an approval.
    const setup = await admin.call(contract.accounts.audit, { query: { action: 'setup' } })
    expect((await admin.fetch(`/api/admin/audit/${setup.items[0]!.audit_id}/receipt`)).status).toBe(404)
  })

  test('show who may read the log no more than the log does', async () => {
    const { client } = await stage.member('zoe')
    const asked = await say(
      client,
      `/system.run_command ${JSON.stringify({ command: `# ${'x'.repeat(3000)}`, shell: true })}`,
    )
    const { approval_id } = asked.approvals[0]!
    await decide(client, approval_id, 'approve')
    const own = await verified(await receiptOf(client, approval_id))
    expect(own.call!.arguments).toMatchObject({ shell: true })
    const admin = await stage.as('admin')
    const read = await verified(await fetchText(admin, `/api/admin/audit/${own.audit[0]!.audit_id}/receipt`))
    expect(read.call).toEqual({ ...own.call, arguments: null })
  })

  test('of a denied call say so, and hostile arguments are in them as they are', async () => {
    const { client } = await stage.member('nia')
    const hostile = JSON.stringify({ command: 'a\ud800\u202e\u0000', args: ['"', '\n'] })
    const asked = await say(client, `/system.run_command ${hostile}`)
    const [card] = asked.approvals
    if (card === undefined) throw new Error('It did not ask.')
    await decide(client, card.approval_id, 'deny')
    const receipt = await verified(await receiptOf(client, card.approval_id))
    expect(receipt.approval).toMatchObject({ status: 'denied', decision: 'deny' })
    expect(receipt.call).toMatchObject({ status: 'denied', started_at: null })
    expect(receipt.call!.arguments).toMatchObject({ command: 'a\ufffd\u202e\u0000', args: ['"', '\n'] })
    expect(receipt.audit.map(({ action }) => action)).toEqual(['approval.denied'])
  })

  test('of an approval that no longer held when the call was due say so, and the call is in that of the next one', async () => {
    const member = await stage.member('ivo')
    const asked = await say(member.client, '/system.run_command {"command": "uptime"}')
    const { approval_id } = asked.approvals[0]!
    await stage.setRules(member, [{ subject: 'tool:system.*', effect: 'ask', approvers: [] }])
    const { result } = await decide(member.client, approval_id, 'approve')
    const next = result!.approvals[0]!.approval_id
    const before = await verified(await receiptOf(member.client, approval_id))
    expect(before).toMatchObject({ approval: { status: 'superseded' }, call: { status: 'awaiting_approval' } })
    await decide(member.client, next, 'approve')
    const [void_, held] = await Promise.all(
      [approval_id, next].map(async (id) => verified(await receiptOf(member.client, id))),
    )
    expect(void_!.audit.map(({ action }) => action)).toEqual(['approval.approved'])
    expect(held).toMatchObject({ approval: { status: 'approved' }, call: { status: 'done' } })
    expect(held!.audit.map(({ action }) => action)).toEqual(['approval.approved', 'tool.called'])
  })

  test('are verified without a service, by key or fingerprint, and everything else is refused with the reason', async () => {
    const { client } = await stage.member('kim')
    const asked = await say(client, '/system.run_command {"command": "uptime"}')
    await decide(client, asked.approvals[0]!.approval_id, 'approve')
    const text = await receiptOf(client, asked.approvals[0]!.approval_id)
    const receipt = join(folder, 'receipt.json')
    const pem = join(folder, 'keys.pem')
    await writeFile(receipt, text)
    await writeFile(pem, await fetchText(stage.anonymous(), '/certificate/signing-keys.pem'))
    const [key] = (await keys()).items
    const run = (words: string[]) => runCommand({}, ['receipt', 'verify', ...words], { cwd: folder })

    expect(await run(['receipt.json', '--key', 'keys.pem'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/genuine and unchanged[^]*system\.run_command[^]*Not proven/),
    })
    const trusted = await run([receipt, '--trust', key!.fingerprint_sha256, '--json'])
    expect(trusted.json()).toMatchObject({ ok: true, verdict: 'valid', key_id: key!.key_id })
    const unknown = await run([receipt])
    expect(unknown).toMatchObject({ code: 1, stdout: expect.stringContaining(key!.fingerprint_sha256) })
    expect((await run([receipt, '--trust', 'ab'.repeat(32), '--json'])).json()).toMatchObject({
      verdict: 'unknown_key',
    })
    expect(await run([receipt, '--trust', 'abc'])).toMatchObject({ code: 2 })
    expect(await run([])).toMatchObject({ code: 2 })
    expect(await run(['nowhere.json'])).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') })

    const { payload } = JSON.parse(text) as { payload: string }
    const other = Buffer.from(Buffer.from(payload, 'base64').toString().replace('approved', 'denied'))
    await writeFile(join(folder, 'changed.json'), text.replace(payload, other.toString('base64')))
    expect((await run(['changed.json', '--key', pem, '--json'])).json()).toMatchObject({ verdict: 'bad_signature' })
    await writeFile(join(folder, 'cut.json'), text.slice(0, -20))
    expect((await run(['cut.json', '--key', pem, '--json'])).json()).toMatchObject({ verdict: 'not_a_document' })
  }, 120_000)
})

describe.each(databases)('the keys of receipts on $name', (database) => {
  test('are made once by however many processes, and a rotated one still verifies', async () => {
    await using closing = new AsyncDisposableStack()
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    const made = await Promise.all([
      ...Array.from({ length: 8 }, () => service.anonymous().call(contract.receipts.signingKeys)),
      runCommand(env, ['receipt', 'keys', '--json']).then((it) => it.json<{ items: { key_id: string }[] }>()),
      runCommand(env, ['receipt', 'keys', '--json']).then((it) => it.json<{ items: { key_id: string }[] }>()),
    ])
    expect(new Set(made.flatMap(({ items }) => items.map(({ key_id }) => key_id))).size).toBe(1)

    const asked = await say(admin, '/system.run_command {"command": "uptime"}')
    const { approval_id } = asked.approvals[0]!
    await decide(admin, approval_id, 'approve')
    const path = `/api/chat/approvals/${approval_id}/receipt`
    const receipt = join(service.dataFolder, 'receipt.json')
    await writeFile(receipt, await (await admin.fetch(path)).text())
    const rotated = await runCommand(env, ['receipt', 'rotate-key', '--json'])
    const [now, before] = (await service.anonymous().call(contract.receipts.signingKeys)).items
    expect(rotated.json()).toMatchObject({ ok: true, key_id: now!.key_id, retired: made[0].items[0]!.key_id })
    expect([now!.retired_at, before!.retired_at]).toEqual([null, expect.any(String)])
    // The running service signs with the new one at once.
    const newer = JSON.parse(await (await admin.fetch(path)).text()) as { signatures: { keyid: string }[] }
    expect(newer.signatures[0]!.keyid).toBe(now!.key_id)
    const pem = join(service.dataFolder, 'keys.pem')
    await writeFile(pem, await (await service.anonymous().fetch('/certificate/signing-keys.pem')).text())
    expect(await runCommand({}, ['receipt', 'verify', receipt, '--key', pem])).toMatchObject({ code: 0 })
    const { items } = await admin.call(contract.accounts.audit, { query: { q: 'signing_key' } })
    expect(items.map(({ action }) => action)).toEqual(['signing_key.rotated', 'signing_key.created'])
  }, 120_000)
})
