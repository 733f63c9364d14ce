import { buffer as bytes } from 'node:stream/consumers'
import type { chat as contract } from '../../contract/chat.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import type { ConversationTable } from '../db/rows/chat-tables.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { activeRun } from './history/active-runs.ts'
import type { Chat } from './chat.ts'
import { choiceOf } from './conversations/engine-choice.ts'
import { modulesOf } from './conversations/tool-modules.ts'
import { approvalExpired } from './approvals/closing.ts'
import { listForOthers, othersCard } from './approvals/others-cards.ts'
import { handedOverOf, listHandovers } from './handover/handover-rows.ts'
import { runDetails } from './history/chat-result.ts'
import { contextUsed } from './history/context-used.ts'
import { untrustedOf } from './history/untrusted.ts'
import { readMessage, readMessages } from './history/messages.ts'
import { seenPrompt } from './prompt/seen-prompt.ts'

/** One handler per route: unpack, call, wrap. */
export function chatRoutes(db: Database, chat: Chat): Handlers<typeof contract> {
  const { conversations, copies, imports, handovers, bin, folders, sessions, approvals, queue, queueSender } = chat

  async function read(row: ConversationTable, caller: Caller, page: { before?: string | undefined; limit: number }) {
    const { conversation_id, title } = row
    const untrusted = untrustedOf(row)
    const handed_over = await handedOverOf(db.read, row)
    return {
      title,
      ...(untrusted !== null && { untrusted }),
      ...(handed_over !== null && { handed_over }),
      ...(await readMessages(db.read, row, page, chat.reading(caller))),
      approvals: await approvals.pending(conversation_id, chat.reading(caller)),
    }
  }

  return {
    activity: ({ caller }) => chat.activity.snapshot(caller.user_id),
    activityStream: ({ caller, query, headers }) => {
      const last = Number(headers['last-event-id'] ?? NaN)
      return chat.streams.stream(caller, Number.isSafeInteger(last) ? last : (query.after ?? null))
    },
    history: async ({ caller, query }) => {
      const { session_id } = caller
      const conversation_id = await sessions.current(db.read, caller)
      if (conversation_id === null) {
        return { session_id, conversation_id, title: null, messages: [], approvals: [], next_before: null }
      }
      const row = await conversations.find(db.read, caller.user_id, conversation_id)
      return { session_id, conversation_id, ...(await read(row, caller, query)) }
    },
    listConversations: async ({ caller, query }) => ({
      ...(await conversations.list(caller.user_id, query)),
      folders: await folders.list(caller.user_id, caller.language),
      query: query.q,
      current_conversation_id: await sessions.current(db.read, caller),
    }),
    conversation: async ({ caller, params, query }) => {
      const row = await conversations.find(db.read, caller.user_id, params.conversation_id)
      return {
        conversation_id: row.conversation_id,
        folder_id: row.folder_id,
        pinned: row.pinned === 1,
        active_run: await activeRun(db.read, row.conversation_id),
        engine: choiceOf(row),
        modules: modulesOf(row),
        context_used: await contextUsed(db.read, row.head_message_id),
        queued: row.queued,
        ...(await read(row, caller, query)),
      }
    },
    message: async ({ caller, params }) => {
      await conversations.find(db.read, caller.user_id, params.conversation_id)
      const message = await readMessage(db.read, params.conversation_id, params.message_id, chat.reading(caller))
      if (!message) throw new AppError('not_found', say`There is no such message.`)
      return { message }
    },
    updateConversation: async ({ caller, params: { conversation_id }, body }) => {
      if (body.engine) {
        // What is not the caller's answers as what never was, whatever else is wrong.
        await conversations.find(db.read, caller.user_id, conversation_id)
        chat.checkEngine(caller, body.engine)
      }
      return { ok: true, conversation_id, ...(await conversations.update(caller.user_id, conversation_id, body)) }
    },
    deleteConversation: async ({ caller, params: { conversation_id } }) => {
      await conversations.delete(caller.user_id, conversation_id)
      return { ok: true, deleted: conversation_id, current_conversation_id: await sessions.current(db.read, caller) }
    },
    restoreConversation: async ({ caller, params: { conversation_id } }) => {
      await conversations.restore(caller.user_id, conversation_id)
      return { ok: true, conversation_id }
    },
    openConversation: async ({ caller, params: { conversation_id } }) => {
      await sessions.open(caller, conversation_id)
      const row = await conversations.find(db.read, caller.user_id, conversation_id)
      return { ok: true, conversation_id, ...(await read(row, caller, { limit: 50 })) }
    },
    chooseBranch: async ({ caller, params: { conversation_id }, body }) => {
      await conversations.chooseBranch(caller.user_id, conversation_id, body.message_id)
      return { ok: true, conversation_id }
    },
    purgeConversation: async ({ caller, params: { conversation_id } }) => {
      await bin.purge(caller.user_id, conversation_id)
      return { ok: true, deleted: conversation_id }
    },
    emptyBin: async ({ caller }) => ({ ok: true, purged: await bin.empty(caller.user_id) }),
    exportConversation: ({ caller, params, query }) => copies.write(caller, params.conversation_id, query.format),
    importConversation: async ({ caller, body }) => ({
      ok: true,
      ...(await imports.import(caller.user_id, await bytes(body))),
    }),
    importUnderWay: async ({ caller }) => ({ import: await imports.underWay(caller.user_id) }),
    assignFolder: async ({ caller, params: { conversation_id }, body: { folder_id } }) => {
      await conversations.assignFolder(caller.user_id, conversation_id, folder_id)
      return { ok: true, conversation_id, folder_id }
    },
    createFolder: async ({ caller, body }) => ({ ok: true, folder: await folders.create(caller.user_id, body.name) }),
    updateFolder: async ({ caller, params, body }) => ({
      ok: true,
      folder: await folders.rename(caller.user_id, params.folder_id, body.name),
    }),
    deleteFolder: async ({ caller, params: { folder_id } }) => {
      await folders.delete(caller.user_id, folder_id)
      return { ok: true, deleted: folder_id }
    },
    send: ({ caller, body, headers, asks }) =>
      chat.send(
        caller,
        {
          message: body.message,
          attachment_ids: body.attachment_ids ?? [],
          conversation_id: body.conversation_id,
          edits: body.edits ?? null,
          engine: body.engine,
          modules: body.modules,
          idempotency_key: headers['idempotency-key'] ?? null,
          asks,
        },
        mayWait(headers.prefer),
      ),
    retry: ({ caller, body, headers, asks }) =>
      chat.retry(
        caller,
        { ...body, idempotency_key: headers['idempotency-key'] ?? null, asks },
        mayWait(headers.prefer),
      ),
    listQueued: async ({ caller, params }) => ({
      items: await queue.list(caller.user_id, params.conversation_id),
    }),
    queueMessage: async ({ caller, params: { conversation_id }, body, headers }) => {
      const queued = await queue.add(caller, conversation_id, {
        message: body.message,
        attachment_ids: body.attachment_ids ?? [],
        idempotency_key: headers['idempotency-key'] ?? null,
      })
      // The run may have ended before there was anything to send.
      await queueSender.sendNext(conversation_id)
      return { ok: true, queued }
    },
    editQueued: async ({ caller, params, body }) => ({
      ok: true,
      queued: await queue.edit(caller, params, body.message),
    }),
    moveQueued: async ({ caller, params, body }) => ({
      ok: true,
      items: await queue.move(caller, params, body.before),
    }),
    removeQueued: async ({ caller, params }) => {
      await queue.remove(caller, params)
      return { ok: true, removed: params.queued_id }
    },
    sendQueued: async ({ caller, params, asks }) => ({
      ok: true,
      conversation_id: params.conversation_id,
      run_id: await queueSender.sendNow(caller, params, asks),
    }),
    cancel: ({ caller, body }) => chat.cancel(caller, body.conversation_id),
    reset: async ({ caller }) => ({ ok: true, reset: true, conversation_id: await sessions.reset(caller) }),
    listApprovals: ({ caller, query }) => approvals.list(caller.user_id, query, chat.reading(caller)),
    decideApproval: ({ caller, params, body, headers }) =>
      chat.decide(
        caller,
        params.approval_id,
        { decision: body.decision, reason: body.reason ?? null, content: body.content, grant: body.grant },
        mayWait(headers.prefer),
      ),
    listGrants: async ({ caller }) => ({ items: await approvals.grants.list(caller.user_id, chat.reading(caller)) }),
    revokeGrant: async ({ caller, params: { grant_id } }) => {
      await approvals.grants.revoke(caller, grant_id)
      return { ok: true, revoked: grant_id }
    },
    listOthersApprovals: ({ caller, query }) => listForOthers(db.read, caller, query, chat.reading(caller)),
    voteOnApproval: async ({ caller, params: { approval_id }, body: { decision, reason = null } }) => {
      const { status, run_id } = await approvals.vote(caller, approval_id, { decision, reason })
      if (status !== 'pending') chat.runner.start(run_id)
      if (status === 'expired') throw approvalExpired()
      return { ok: true, approval: await othersCard(db.read, caller, approval_id, chat.reading(caller)) }
    },
    offerHandover: async ({ caller, params: { conversation_id }, body: { username, note = null } }) => ({
      ok: true,
      handover: await handovers.offer(caller, conversation_id, { username, note }),
    }),
    listHandovers: ({ caller, query }) => listHandovers(db.read, caller.user_id, query),
    acceptHandover: async ({ caller, params }) => ({
      ok: true,
      handover: await handovers.accept(caller, params.handover_id),
    }),
    declineHandover: async ({ caller, params }) => ({
      ok: true,
      handover: await handovers.decline(caller, params.handover_id),
    }),
    withdrawHandover: async ({ caller, params }) => ({
      ok: true,
      handover: await handovers.withdraw(caller, params.handover_id),
    }),
    listTools: ({ caller }) => chat.usableTools(caller),
    listEngines: ({ caller }) => ({ items: chat.engines(caller) }),
    listPrompts: async ({ caller }) => ({ items: await chat.prompts.list(caller) }),
    fillPrompt: async ({ caller, params, body }) => ({ text: await chat.prompts.fill(caller, params, body.arguments) }),
    listResourceModules: async ({ caller }) => ({ items: await chat.resources.modules(caller) }),
    listResources: ({ caller, query }) => chat.resources.list(caller, query),
    readResource: ({ caller, body, signal }) => chat.resources.read(caller, body, signal),
    suggestValues: async ({ caller, body: { module, ...asked }, signal }) => ({
      values: [
        ...(await ('prompt' in asked.of ? chat.prompts : chat.resources).complete(caller, module, asked, signal)),
      ],
    }),
    listRuns: async ({ caller }) => ({ items: await chat.activeRuns(caller.user_id) }),
    listChanges: ({ caller, query }) => chat.changes.list(caller, query),
    readChange: ({ caller, params }) => chat.changes.read(caller, params.change_id),
    undoChange: ({ caller, params, asks }) => chat.changes.undo(caller, params.change_id, asks),
    run: ({ caller, params }) => runDetails(db.read, caller.user_id, params.run_id),
    prompt: ({ caller, params }) => seenPrompt(db.read, caller.user_id, params.run_id),
  }
}

/** False for `Prefer: respond-async` (RFC 7240). */
function mayWait(prefer: string | undefined): boolean {
  return !(prefer ?? '')
    .toLowerCase()
    .split(',')
    .some((item) => item.trim().split(';')[0]!.trim() === 'respond-async')
}
