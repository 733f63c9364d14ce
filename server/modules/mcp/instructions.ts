import type { Client } from '@modelcontextprotocol/client'
import type { ModuleInstructions } from '../../../contract/module-offer.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { readableText } from '../result/readable-text.ts'

/** Of each module; what it says beyond that nobody is shown and no engine reads. */
const BYTES = 2048

/** What a module says about its tools as a whole, and the hash of all of it; null when it says nothing. */
export type Instructions = Omit<ModuleInstructions, 'pin'>

/** The tool under whose name they are pinned: no tool is called that. */
const PIN = ''

export function readInstructions(client: Client): Instructions | null {
  const said = client.getInstructions() ?? ''
  const whole = new TextEncoder().encode(readableText(said).trim())
  // A stream keeps a character that is cut in two to itself.
  const text = new TextDecoder().decode(whole.subarray(0, BYTES), { stream: true })
  return text === '' ? null : { text, hash: hashOf(said) }
}

/** The same, with whether they are as agreed to; without pins no agreement is needed. */
export function pinnedInstructions(
  said: Instructions | null,
  pins: ReadonlyMap<string, string> | null,
): ModuleInstructions | null {
  if (said === null) return null
  const { text, hash } = said
  const pinned = pins?.get(PIN)
  return { text, hash, pin: pins === null || pinned === hash ? 'agreed' : pinned === undefined ? 'new' : 'changed' }
}

/** As they are pinned, beside the tools. */
export function instructionsPin({ hash }: Instructions): { readonly name: string; readonly definition_hash: string } {
  return { name: PIN, definition_hash: hash }
}

/** The tools among what is pinned. */
export function pinnedTools(pins: ReadonlyMap<string, string>): [name: string, hash: string][] {
  return [...pins].filter(([name]) => name !== PIN)
}
