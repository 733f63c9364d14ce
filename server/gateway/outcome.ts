import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import type { FileRef } from '../../contract/files.ts'
import type { Reader } from '../db/database.ts'
import type { HeldCall } from './hold.ts'
import type { ClientRequest, GatewayContext } from './ports.ts'

/** Bytes of one picture, and of all pictures of one answer; larger ones are links, like all other files. */
const PICTURE = 1024 * 1024
const PICTURES = 4 * PICTURE

/** What a client is told of a call: its result once it has ended, else a handle to ask again with. In English, for models. */
export async function outcomeOf(
  context: Pick<GatewayContext, 'db' | 'readFile'>,
  request: Pick<ClientRequest, 'caller' | 'origin'>,
  run_id: string,
  held: HeldCall,
): Promise<CallToolResult> {
  const { origin } = request
  const again = `call reeve_result with {"call": "${run_id}"}`
  // A decision that is being taken at this moment leaves none.
  const open = held.approval_id === null ? undefined : `${origin}/approvals/${held.approval_id}`
  if (held.status === 'waiting' && open !== undefined)
    return said(`Nothing has run. It waits for a decision: ask the person to decide at ${open}, then ${again}.`, {
      status: 'waiting_approval',
      call: run_id,
      open,
    })
  if (held.status === 'running' && open !== undefined)
    return said(
      `It is running and asks the person something: ask them to answer at ${open}. To wait for its end, ${again}; do not call the tool again.`,
      { status: 'running', call: run_id, open },
    )
  if (held.status === 'running' || held.status === 'waiting')
    return said(`It is still running. To wait for its end, ${again}; do not call the tool again.`, {
      status: 'running',
      call: run_id,
    })
  return resultOf(context, request, run_id)
}

async function resultOf(
  { db, readFile }: Pick<GatewayContext, 'db' | 'readFile'>,
  { caller, origin }: Pick<ClientRequest, 'caller' | 'origin'>,
  run_id: string,
): Promise<CallToolResult> {
  const run = await readRun(db.read, run_id)
  if (run === undefined) return failed('cancelled', 'It was deleted.')
  const { call, text } = run
  if (call === undefined) return failed(run.status === 'done' ? 'refused' : run.status, text || 'Nothing has run.')
  const result = call.result_text ?? ''
  if (call.status === 'unknown')
    return failed('unknown', `${result}\nIt is unknown whether this took effect. Look before you call it again.`)
  if (call.status === 'denied') return failed('denied', `Nothing has run: it was not permitted. ${result}`)
  if (call.status !== 'done') return failed(call.status === 'failed' ? 'failed' : 'cancelled', result || text)
  const files = await filesOf(db.read, run_id)
  const content: ContentBlock[] = [{ type: 'text', text: result }]
  let left = PICTURES
  for (const file of files) {
    const picture = file.media_type.startsWith('image/') && file.size <= Math.min(left, PICTURE)
    const bytes = picture ? await readFile(caller.user_id, file, PICTURE) : null
    if (bytes !== null) left -= bytes.byteLength
    content.push(
      bytes === null
        ? {
            type: 'resource_link',
            uri: `${origin}/api/files/${file.file_id}/download`,
            name: file.name,
            mimeType: file.media_type,
            size: file.size,
          }
        : { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: file.media_type },
    )
  }
  return { content }
}

/** The run with its call, if it came to one, and what it said otherwise. */
async function readRun(reader: Reader, run_id: string) {
  const run = await reader
    .selectFrom('run')
    .select(['status', 'error_detail', 'output_message_id'])
    .where('run_id', '=', run_id)
    .executeTakeFirst()
  if (run === undefined) return undefined
  const call = await reader
    .selectFrom('tool_call')
    .select(['status', 'result_text'])
    .where('run_id', '=', run_id)
    .executeTakeFirst()
  const parts = await reader
    .selectFrom('message_part')
    .select('text')
    .where('message_id', '=', run.output_message_id)
    .where('type', '=', 'text')
    .orderBy('part_index')
    .execute()
  const text = run.error_detail ?? parts.map((part) => part.text).join('\n\n')
  return { status: run.status, call, text }
}

function filesOf(reader: Reader, run_id: string): Promise<FileRef[]> {
  return reader
    .selectFrom('file')
    .select(['file_id', 'name', 'media_type', 'size', 'extension'])
    .where('run_id', '=', run_id)
    .where('deleted_at', 'is', null)
    .orderBy('file_id')
    .execute()
}

/** `about` for programs, and the same in words. */
function said(text: string, about: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: about }
}

export function failed(status: string, text: string): CallToolResult {
  return { ...said(text.trim(), { status }), isError: true }
}
