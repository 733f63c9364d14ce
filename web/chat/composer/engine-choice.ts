import type { Output } from '../../client/api-types.ts'

type Chosen = Output<'GET /api/chat/conversations/{conversation_id}'>
export type EngineChoice = NonNullable<Chosen['engine']>

/** What is chosen in a conversation: what answers (null: the default), and whose tools that may use (null: all modules'). */
export type Choices = Pick<Chosen, 'engine' | 'modules'>

const KEYS = { engine: 'reeve.engine', modules: 'reeve.modules' } as const

/**
 * What was chosen for conversations that do not exist yet, in this tab. Apart from what changes it, which loads with the
 * pickers: a message sent before that has it already.
 */
export const forNew: { choices: Choices } = { choices: { engine: stored('engine'), modules: stored('modules') } }

function stored<Key extends keyof Choices>(key: Key): Choices[Key] | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEYS[key]) ?? 'null') as Choices[Key] | null
  } catch {
    return null
  }
}

export function keep(choices: Partial<Choices>): void {
  forNew.choices = { ...forNew.choices, ...choices }
  try {
    for (const [key, value] of Object.entries(choices))
      sessionStorage.setItem(KEYS[key as keyof Choices], JSON.stringify(value))
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
}
