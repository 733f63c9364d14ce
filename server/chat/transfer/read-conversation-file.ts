import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../kernel/app-error.ts'
import { isTooDeep, JSON_DEPTH } from '../../kernel/text/json-depth.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { type ConversationFile, ConversationFileHead, FileMessage } from './conversation-file.ts'

/** Messages checked in a row before other work gets a turn. */
const CHECKED_AT_ONCE = 50

/** Reads an exported file and validates all of it before anything is stored. @throws {AppError} bad_import */
export async function readConversationFile(bytes: Uint8Array): Promise<ConversationFile> {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw badImport(say`This file cannot be imported: it is not JSON.`, error)
  }
  if (isTooDeep(json))
    throw badImport(say`This file cannot be imported: it is nested more than ${JSON_DEPTH} levels deep.`)
  await nextTurn()
  const head = ConversationFileHead.safeParse(json)
  if (!head.success) throw wrong(head.error.issues[0]!, [])
  const messages: FileMessage[] = []
  const seen = new Set<string>()
  for (const [i, value] of head.data.messages.entries()) {
    if (i % CHECKED_AT_ONCE === 0) await nextTurn()
    const message = FileMessage.safeParse(value)
    if (!message.success) throw wrong(message.error.issues[0]!, ['messages', i])
    const { message_id, parent_id } = message.data
    if (seen.has(message_id) || (parent_id !== null && !seen.has(parent_id)))
      throw badImport(say`This file cannot be imported: a message comes before the one it follows.`)
    seen.add(message_id)
    messages.push(message.data)
  }
  return { ...head.data, messages }
}

function wrong({ path, message }: { path: PropertyKey[]; message: string }, before: PropertyKey[]): AppError {
  return badImport(say`This file cannot be imported. ${[...before, ...path].join('.')}: ${message}.`)
}

function badImport(why: Sentence, cause?: unknown): AppError {
  return new AppError('bad_import', why, { cause })
}
