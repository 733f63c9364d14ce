import type { Output } from '../../client/api-types.ts'

export type EngineChoice = NonNullable<Output<'GET /api/chat/conversations/{conversation_id}'>['engine']>

export const ENGINE_KEY = 'reeve.engine'

/**
 * What was chosen for conversations that do not exist yet, in this tab; null: the default. Apart from what changes it,
 * which loads with the picker: a message sent before that has it already.
 */
export const forNew: { choice: EngineChoice | null } = { choice: stored() }

function stored(): EngineChoice | null {
  try {
    return JSON.parse(sessionStorage.getItem(ENGINE_KEY) ?? 'null') as EngineChoice | null
  } catch {
    return null
  }
}
