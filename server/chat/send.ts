import type { Caller, Permission } from '../../contract/route.ts'
import type { FileRef } from '../../contract/files.ts'
import type { MessageRow, QueuedMessageTable } from '../db/rows/chat-tables.ts'
import type { Reader, Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { hashOf } from '../kernel/text/canonical.ts'
import { newId } from '../kernel/id.ts'
import type { ChatSessions } from './conversations/chat-sessions.ts'
import type { ConversationEnd, Conversations } from './conversations/conversations.ts'
import { checkChoice, choiceOf, columnsOf, storeChoice } from './conversations/engine-choice.ts'
import { modulesColumn, storeModules } from './conversations/tool-modules.ts'
import { openRun } from './open-run.ts'
import { messageRow } from './history/messages.ts'
import type { NewPart } from './history/parts.ts'
import { keyOf, type QueuedVersion } from './history/queued-rows.ts'
import type { EngineChoice } from './ports/model.ts'
import type { ProcedureOfRun } from './ports/procedures.ts'
import { type OpenedRun, runOnce } from './run-once.ts'
import type { RunBounds } from './run/run-bounds.ts'
import type { RunContext } from './run/run-context.ts'
import { procedureBefore, startProcedure } from './start-procedure.ts'
import { nameAfter, nameOfCommand } from './titles/title-text.ts'

export interface SendRequest {
  readonly message: string
  readonly attachment_ids: readonly string[]
  /** undefined: the current conversation; null: a new one. */
  readonly conversation_id: string | null | undefined
  /** The user message this one becomes an alternative to; null: it follows what is shown. */
  readonly edits: string | null
  /** What answers in the conversation from now on; null: the default; undefined: as before. */
  readonly engine: EngineChoice | null | undefined
  /** The modules whose tools that may use from now on; null: all; left out: as before. */
  readonly modules?: readonly string[] | null | undefined
  readonly idempotency_key: string | null
  /** The queued message that it is; left out for one that its sender has just written. */
  readonly queued?: QueuedVersion
  /** Permissions of the message that require approval. */
  readonly asks: readonly Permission[]
  /** What a conversation that it begins is called; left out: after its words. */
  readonly title?: string
  /** What comes with it from elsewhere; others may have written it. */
  readonly facts?: Facts | undefined
  /** The id of its run; left out: a new one. */
  readonly run_id?: string
  /** What holds for its run besides; left out: nothing. */
  readonly bounds?: RunBounds
  /** The MCP client that asks for it, by name; the conversation it begins is in no list, and untrusted from the start. */
  readonly client?: string
  /** What its run carries out, without a model; the message names it. */
  readonly procedure?: ProcedureOfRun
}

export type RetryRequest = Pick<SendRequest, 'idempotency_key' | 'asks'> & {
  readonly conversation_id: string
  /** The answer to regenerate, or the user message it answers. */
  readonly message_id: string
}

/** Data that a message brings along: where it is from, what that is called, and JSON. */
export interface Facts {
  readonly source: 'hook' | 'watch'
  readonly name: string
  readonly text: string
}

/** A queued message as the request that sends it. */
export function requestOf(row: QueuedMessageTable, asks: readonly Permission[]): SendRequest {
  const { queued_id, conversation_id, version, message, attachments } = row
  return {
    message,
    attachment_ids: (JSON.parse(attachments) as FileRef[]).map(({ file_id }) => file_id),
    conversation_id,
    edits: null,
    engine: undefined,
    idempotency_key: keyOf(queued_id),
    asks,
    queued: { queued_id, conversation_id, version },
  }
}

/**
 * Stores a message, its run and the reserved answer in one transaction, so that nothing acknowledged is ever lost.
 * @throws {AppError} not_found, run_active, idempotency_mismatch, engine_not_allowed; {QueuedChanged}
 */
export function storeMessage(
  context: RunContext,
  conversations: Conversations,
  sessions: ChatSessions,
  caller: Caller,
  request: SendRequest,
): Promise<OpenedRun> {
  const { idempotency_key } = request
  const once = { idempotency_key, request_hash: requestHash(request) }
  return runOnce(context, caller, once, () => prepareMessage(context, conversations, sessions, caller, request))
}

/**
 * Reads what a message needs; the function it returns stores the message with its run, within a transaction of whoever
 * calls it. That comes last there: activity events are its last statement.
 * @throws {AppError} not_found, engine_not_allowed; the function besides: run_active, quota_used_up; {QueuedChanged}
 */
export async function prepareMessage(
  context: RunContext,
  conversations: Conversations,
  sessions: ChatSessions,
  caller: Caller,
  request: SendRequest,
): Promise<(trx: Trx) => Promise<OpenedRun>> {
  const {
    message,
    attachment_ids,
    conversation_id: target,
    edits,
    engine,
    modules,
    idempotency_key,
    asks,
    facts,
  } = request
  // Not before: a repeated request gets its run, whatever has become of the engine since.
  if (engine) checkChoice(context.ports.model, caller.role_id, engine)
  const files = await context.ports.attachments.entries(caller.user_id, attachment_ids)
  const started = request.procedure === undefined ? null : await startProcedure(context, caller, request.procedure)
  return async (trx) => {
    const found = await findTarget(trx, conversations, sessions, caller, target)
    const edited = edits === null ? null : await findMessage(trx, found?.conversation_id ?? '', edits)
    if (edited && edited.role !== 'user') throw new AppError('not_found', say`Only your own messages can be edited.`)
    // In this order: ids sort by time, and an answer follows what it answers.
    const message_id = newId('message')
    const output_message_id = newId('message')
    const name = request.title ?? started?.plan.name ?? nameOf(message, context, caller.language)
    const choice = engine === undefined ? found && choiceOf(found) : engine
    const { tool_modules } = modules === undefined ? (found ?? modulesColumn(null)) : modulesColumn(modules)
    const begun = {
      title: name,
      // A name that somebody gave needs no better one.
      title_source: request.title === undefined ? ('auto' as const) : ('user' as const),
      head_message_id: output_message_id,
      ...columnsOf(choice),
      tool_modules,
      ...(caller.kind === 'routine' && { kind: 'routine' as const }),
      ...(request.client !== undefined && { kind: 'gateway' as const }),
    }
    const conversation_id = found?.conversation_id ?? (await conversations.create(trx, caller.user_id, begun))
    if (found && engine !== undefined) await storeChoice(trx, conversation_id, engine)
    if (found && modules !== undefined) await storeModules(trx, conversation_id, modules)
    // Nobody has it open who was not there.
    if (!found && caller.kind !== 'routine' && request.client === undefined)
      await sessions.setCurrent(trx, caller, conversation_id)
    const attached: NewPart[] = files.map(({ created_at: _created, ...file }) => ({
      type: 'file',
      data: file,
      find: file.name,
    }))
    const told: NewPart[] = facts ? [{ type: 'facts', text: facts.text, data: { source: facts.source } }] : []
    const added = {
      parts: [{ type: 'text' as const, text: message, data: {} }, ...attached, ...told],
      parent_id: edited ? edited.parent_id : (found?.head_message_id ?? null),
      first: found === null || found.title_source === 'none',
    }
    const position = edited ? edited.position : (found?.position ?? 0) + 1
    const conversation = { conversation_id, name, isNew: found === null, choice, tool_modules }
    const input = { message_id, position, text: message, added }
    return openRun(trx, context, conversations, caller, {
      conversation,
      input,
      output_message_id,
      files,
      idempotency_key,
      request_hash: requestHash(request),
      asks,
      queued: request.queued ?? null,
      facts: facts ?? null,
      client: request.client ?? null,
      run_id: request.run_id ?? newId('run'),
      bounds: request.bounds ?? null,
      procedure: started,
    })
  }
}

/** What makes a request another one. */
function requestHash({
  message,
  attachment_ids,
  conversation_id,
  edits,
  engine,
  modules,
  procedure,
}: SendRequest): string {
  return hashOf({
    message,
    attachment_ids,
    conversation_id: conversation_id ?? null,
    edits,
    ...(engine !== undefined && { engine }),
    ...(modules !== undefined && { modules }),
    ...(procedure !== undefined && { procedure }),
  })
}

/**
 * Opens a run that answers a message again, with a new answer alongside the existing ones.
 * @throws {AppError} not_found, run_active, idempotency_mismatch
 */
export function storeRetry(
  context: RunContext,
  conversations: Conversations,
  caller: Caller,
  request: RetryRequest,
): Promise<OpenedRun> {
  const { conversation_id, message_id, idempotency_key, asks } = request
  const { db } = context
  const request_hash = hashOf({ retry: message_id, conversation_id })
  return runOnce(context, caller, { idempotency_key, request_hash }, async () => {
    await conversations.find(db.read, caller.user_id, conversation_id)
    const chosen = await findMessage(db.read, conversation_id, message_id)
    const asked = chosen.role === 'user' ? chosen : await findMessage(db.read, conversation_id, chosen.parent_id ?? '')
    const parts = await db.read
      .selectFrom('message_part')
      .select(['type', 'text', 'data'])
      .where('message_id', '=', asked.message_id)
      .orderBy('part_index')
      .execute()
    const ids = parts.flatMap((part) => (part.type === 'file' ? (JSON.parse(part.data) as FileRef).file_id : []))
    const files = await stillThere(context, caller, ids)
    const text = parts.find((part) => part.type === 'text')?.text ?? ''
    const again = await procedureBefore(db.read, chosen.run_id)
    const procedure = again === null ? null : await startProcedure(context, caller, again)
    const input = { message_id: asked.message_id, position: asked.position, text, added: null }
    return async (trx) => {
      const end = await conversations.findEnd(trx, caller.user_id, conversation_id)
      const conversation = {
        conversation_id,
        name: nameOf(text, context, caller.language),
        isNew: false,
        choice: choiceOf(end),
        tool_modules: end.tool_modules,
      }
      const output_message_id = newId('message')
      return openRun(trx, context, conversations, caller, {
        conversation,
        input,
        output_message_id,
        files,
        idempotency_key,
        request_hash,
        asks,
        queued: null,
        facts: null,
        client: null,
        run_id: newId('run'),
        bounds: null,
        procedure,
      })
    }
  })
}

const COMMAND = /^\/([\w-]+)\.([\w.-]+)(?:\s+([\s\S]*))?$/

/** What a conversation that begins with this message is called: after its words, or the tool that it runs directly. */
function nameOf(message: string, { ports }: RunContext, language: string): string {
  const [, module = '', tool = '', rest = ''] = COMMAND.exec(message.trim()) ?? []
  const known = module === '' ? undefined : ports.tools.find(module.toLowerCase(), tool.toLowerCase())
  if (known === undefined) return nameAfter(message)
  const title = ports.tools.wording(known.module, language).text(known.title)
  return nameOfCommand({ title, main_argument: known.main_argument }, rest)
}

/** The conversation that a message continues; null when it begins one. */
async function findTarget(
  trx: Trx,
  conversations: Conversations,
  sessions: ChatSessions,
  caller: Caller,
  target: string | null | undefined,
): Promise<ConversationEnd | null> {
  const conversation_id = target === undefined ? await sessions.current(trx, caller) : target
  return conversation_id === null ? null : conversations.findEnd(trx, caller.user_id, conversation_id)
}

/** @throws {AppError} not_found when it is not a message of this conversation. */
async function findMessage(reader: Reader, conversation_id: string, message_id: string): Promise<MessageRow> {
  const row = await messageRow(reader, conversation_id, message_id)
  if (!row) throw new AppError('not_found', say`There is no such message in this conversation.`)
  return row
}

/** Attachments that have since been deleted do not keep a message from being answered again. */
async function stillThere({ ports }: RunContext, caller: Caller, ids: readonly string[]) {
  const found = await Promise.allSettled(ids.map((id) => ports.attachments.entries(caller.user_id, [id])))
  return found.flatMap((entries) => (entries.status === 'fulfilled' ? entries.value : []))
}
