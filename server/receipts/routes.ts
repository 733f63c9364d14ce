import type { receipts as contract } from '../../contract/receipts.ts'
import type { Caller, FileAnswer, Handlers } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import { bytesAnswer } from '../kernel/bytes-answer.ts'
import { allHeads, lastHead } from './heads.ts'
import { approvalOfEntry, makeReceipt } from './receipt.ts'
import type { Receipts } from './receipts.ts'

/** The handlers of receipts, their keys, and the signed heads of the audit log. */
export function receiptRoutes(receipts: Receipts, audit: Pick<AuditLog, 'record'>): Handlers<typeof contract> {
  const { db, keys } = receipts

  async function exported(caller: Caller, approval_id: string, user_id: string | null): Promise<FileAnswer> {
    const text = await makeReceipt(receipts, approval_id, user_id)
    await db.transaction((trx) =>
      audit.record(trx, { actor: caller, action: 'receipt.exported', target: approval_id, outcome: 'ok', details: {} }),
    )
    return file(`receipt-${approval_id}.json`, 'application/json', `${text}\n`)
  }

  return {
    signingKeys: async () => ({ items: await keys.published() }),
    signingKeysPem: async () => {
      const pem = (await keys.published()).map(({ public_key }) => public_key).join('')
      return file('signing-keys.pem', 'application/x-pem-file', pem)
    },
    receipt: ({ caller, params }) => exported(caller, params.approval_id, caller.user_id),
    auditReceipt: async ({ caller, params }) => exported(caller, await approvalOfEntry(db, params.audit_id), null),
    auditHead: async () => ({ head: await lastHead(db) }),
    auditHeads: () => ({
      name: 'audit-heads.ndjson',
      media_type: 'application/x-ndjson',
      size: null,
      stream: allHeads(db),
    }),
  }
}

function file(name: string, media_type: string, text: string): FileAnswer {
  return bytesAnswer(name, media_type, Buffer.from(text))
}
