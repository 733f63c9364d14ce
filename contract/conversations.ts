import { z } from 'zod'
import { EngineChoice } from './engine-choice.ts'
import { ToolModules } from './tool-modules.ts'
import { Untrusted } from './grants.ts'
import { Approval, Message, RunStatus } from './messages.ts'
import { json, optionalJson, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

export const TITLE_LIMIT = 200
export const FOLDER_NAME_LIMIT = 80
/** Maximum bytes of a conversation to import. */
export const IMPORT_LIMIT = 16 * 1024 * 1024

export const Folder = z.strictObject({ folder_id: Id, name: z.string() })
export const ConversationEntry = z.strictObject({
  conversation_id: Id,
  title: z.string(),
  folder_id: Id.nullable(),
  pinned: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** When it was moved to the bin; it is permanently deleted 30 days later. */
  deleted_at: Timestamp.nullable(),
  /** When it was imported from a file; null for a conversation held here. */
  imported_at: Timestamp.nullable(),
  /** Present where a routine began it, and not its owner. */
  routine: z.literal(true).optional(),
  active_run: z.strictObject({ run_id: Id, status: RunStatus }).nullable(),
  /** The `error_code` of the answer that it ends with, if that failed. */
  failure: z.string().nullable(),
  /**
   * Only with `q`: an excerpt, as written, of the newest text that contains its words, or of the title if only that
   * does.
   */
  snippet: z.string().nullable(),
  /** The message of the snippet, null for the title; and the words in the snippet as `[from, to)` in UTF-16 units. */
  hit: z.strictObject({ message_id: Id, ranges: z.array(z.tuple([z.int(), z.int()])) }).nullable(),
})
const conversationFields = {
  title: z.string().nullable(),
  messages: z.array(Message),
  approvals: z.array(Approval),
  /** Present once it holds what others may have written. */
  untrusted: Untrusted.optional(),
  /** Present once somebody else has a copy to go on with: this one is only read. `to`: their name then; null: they are gone. */
  handed_over: z.strictObject({ to: z.string().nullable(), at: Timestamp }).optional(),
  /** Send it as `before` to get the preceding messages; null when there are none. */
  next_before: Id.nullable(),
}

const FolderName = z.string().trim().min(1).max(FOLDER_NAME_LIMIT)
const ConversationParams = z.object({ conversation_id: Id })
const Page = z.object({ before: Id.optional(), limit: limit(50) })

/** Conversations and their folders. */
export const conversations = {
  history: route({
    method: 'GET',
    path: '/api/chat/history',
    summary: 'The current conversation of my chat session',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    query: Page,
    response: json(z.strictObject({ session_id: Id, conversation_id: Id.nullable(), ...conversationFields })),
    errors: [],
  }),
  listConversations: route({
    method: 'GET',
    path: '/api/chat/conversations',
    summary: 'My conversations, newest first; q finds them by title and text',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    query: z.object({
      q: z.string().max(200).default(''),
      limit: limit(50),
      cursor: Cursor,
      folder_id: Id.optional(),
      deleted: z.enum(['true', 'false']).default('false'),
      /** Only pinned ones, or only the others. */
      pinned: z.enum(['true', 'false']).optional(),
    }),
    response: json(
      z.strictObject({
        items: z.array(ConversationEntry),
        folders: z.array(Folder),
        query: z.string(),
        current_conversation_id: Id.nullable(),
        next_cursor: NextCursor,
      }),
    ),
    errors: [],
  }),
  conversation: route({
    method: 'GET',
    path: '/api/chat/conversations/{conversation_id}',
    summary: 'Read a conversation without opening it',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    params: ConversationParams,
    query: Page,
    response: json(
      z.strictObject({
        conversation_id: Id,
        folder_id: Id.nullable(),
        pinned: z.boolean(),
        active_run: z.strictObject({ run_id: Id, status: RunStatus }).nullable(),
        /** What its owner chose to answer in it; null: the default. */
        engine: EngineChoice.nullable(),
        /** The modules whose tools its engine may use; null: all. Absent in answers of versions before. */
        modules: ToolModules.nullable().optional(),
        /** Tokens of the last request of the answer that it ends with; null where no engine took part. */
        context_used: z.int().nullable(),
        /** How many messages are queued in it. */
        queued: z.int(),
        ...conversationFields,
      }),
    ),
    errors: ['not_found'],
  }),
  message: route({
    method: 'GET',
    path: '/api/chat/conversations/{conversation_id}/messages/{message_id}',
    summary: 'One message as it stands now',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    params: z.object({ conversation_id: Id, message_id: Id }),
    response: json(z.strictObject({ message: Message })),
    errors: ['not_found'],
  }),
  updateConversation: route({
    method: 'PATCH',
    path: '/api/chat/conversations/{conversation_id}',
    summary: 'Rename or pin a conversation, or choose what answers in it and whose tools that may use',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    body: json(
      z.strictObject({
        title: z.string().trim().min(1).max(TITLE_LIMIT).optional(),
        pinned: z.boolean().optional(),
        /** What answers from now on; null: the default. */
        engine: EngineChoice.nullable().optional(),
        /** The modules whose tools that may use from the next message on; null: all. */
        modules: ToolModules.nullable().optional(),
      }),
    ),
    response: json(
      z.strictObject({
        ok: Ok,
        conversation_id: Id,
        title: z.string(),
        pinned: z.boolean(),
        engine: EngineChoice.nullable(),
        modules: ToolModules.nullable().optional(),
      }),
    ),
    errors: ['not_found', 'engine_not_allowed'],
  }),
  deleteConversation: route({
    method: 'DELETE',
    path: '/api/chat/conversations/{conversation_id}',
    summary: 'Put a conversation into the bin for 30 days',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id, current_conversation_id: Id.nullable() })),
    errors: ['not_found', 'run_active'],
  }),
  restoreConversation: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/restore',
    summary: 'Take a conversation out of the bin',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id })),
    errors: ['not_found'],
  }),
  openConversation: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/open',
    summary: 'Make a conversation the current one of my chat session',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, ...conversationFields })),
    errors: ['not_found', 'run_active'],
  }),
  chooseBranch: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/branch',
    summary: 'Show the branch with this message, down to its newest end; the next message goes on from there',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    body: json(z.strictObject({ message_id: Id })),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id })),
    errors: ['not_found', 'run_active'],
  }),
  purgeConversation: route({
    method: 'DELETE',
    path: '/api/chat/bin/{conversation_id}',
    summary: 'Delete a conversation that is in the bin for good, with everything that belongs to it',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  emptyBin: route({
    method: 'POST',
    path: '/api/chat/bin/empty',
    summary: 'Delete everything in my bin for good',
    access: 'session',
    tokenNeeds: 'conversations.write',
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, purged: z.int() })),
    errors: [],
  }),
  exportConversation: route({
    method: 'GET',
    path: '/api/chat/conversations/{conversation_id}/export',
    summary: 'A conversation as a file: Markdown to read, JSON to import again',
    access: 'session',
    tokenNeeds: 'conversations.read',
    params: ConversationParams,
    query: z.object({ format: z.enum(['markdown', 'json']).default('markdown') }),
    response: { kind: 'file', disposition: 'attachment' },
    errors: ['not_found'],
  }),
  importConversation: route({
    method: 'POST',
    path: '/api/chat/conversations/import',
    summary: 'Make a conversation of what the JSON export wrote; one import of a user at a time',
    access: 'session',
    permissions: ['conversations.import'],
    body: { kind: 'raw', limit: IMPORT_LIMIT },
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, title: z.string() })),
    errors: ['bad_import', 'import_running', 'payload_too_large'],
    rateLimit: 60,
  }),
  importUnderWay: route({
    method: 'GET',
    path: '/api/chat/conversations/import',
    summary: 'How far my import is; null when none is under way',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(z.strictObject({ import: z.strictObject({ percent: z.int(), started_at: Timestamp }).nullable() })),
    errors: [],
  }),
  updateFolder: route({
    method: 'PATCH',
    path: '/api/chat/folders/{folder_id}',
    summary: 'Rename a folder; names are unique, ignoring case',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: z.object({ folder_id: Id }),
    body: json(z.strictObject({ name: FolderName })),
    response: json(z.strictObject({ ok: Ok, folder: Folder })),
    errors: ['not_found', 'folder_exists'],
  }),
  assignFolder: route({
    method: 'PATCH',
    path: '/api/chat/conversations/{conversation_id}/folder',
    summary: 'File a conversation in a folder; null unfiles it',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: ConversationParams,
    body: json(z.strictObject({ folder_id: Id.nullable() })),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, folder_id: Id.nullable() })),
    errors: ['not_found'],
  }),
  createFolder: route({
    method: 'POST',
    path: '/api/chat/folders',
    summary: 'Create a folder; names are unique, ignoring case',
    access: 'session',
    tokenNeeds: 'conversations.write',
    body: json(z.strictObject({ name: FolderName })),
    response: json(z.strictObject({ ok: Ok, folder: Folder })),
    errors: ['folder_exists'],
  }),
  deleteFolder: route({
    method: 'DELETE',
    path: '/api/chat/folders/{folder_id}',
    summary: 'Delete a folder; its conversations are unfiled, none is deleted',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: z.object({ folder_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
}
