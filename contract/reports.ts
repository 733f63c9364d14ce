import { z } from 'zod'
import { FileEntry } from './files.ts'
import { json, route } from './route.ts'
import { Id, Ok } from './values.ts'

export const reports = {
  saveReport: route({
    method: 'POST',
    path: '/api/chat/runs/{run_id}/report',
    summary:
      'Saves the last answer of a run that has ended as Markdown, and the tables of its calls as XLSX: one report for each run',
    access: 'session',
    permissions: ['files.create'],
    tokenNeeds: 'conversations.read',
    params: z.object({ run_id: Id }),
    response: json(
      z.strictObject({
        ok: Ok,
        /** The text. */
        file: FileEntry,
        /** The tables, if there were any. */
        table_file: FileEntry.nullable(),
      }),
    ),
    errors: [
      'forbidden',
      'approval_required',
      'not_found',
      'run_active',
      'nothing_to_report',
      'quota_exceeded',
      'payload_too_large',
    ],
    rateLimit: 60,
  }),
}
