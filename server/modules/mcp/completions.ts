import type { Client } from '@modelcontextprotocol/client'
import { visible } from '../../kernel/text/plain-text.ts'
import type { Completing } from '../../chat/ports/offers.ts'

const ASK_MS = 5000
const VALUES = 100
const LENGTH = 1000
/** The same is asked again while a person types and deletes. */
const KEPT_MS = 30_000
const KEPT = 200

interface Kept {
  readonly at: number
  readonly values: readonly string[]
}

/** What a module suggests for an argument. Nothing where it has no suggestions or none in time: they are a convenience. */
export function openCompletions(client: Client) {
  const kept = new Map<string, Kept>()
  return async ({ of, argument: name, value, given }: Completing, signal: AbortSignal): Promise<readonly string[]> => {
    if (client.getServerCapabilities()?.completions === undefined) return []
    const key = JSON.stringify([of, name, value, given])
    const before = kept.get(key)
    if (before !== undefined && performance.now() < before.at + KEPT_MS) return before.values
    const ref =
      'prompt' in of
        ? { type: 'ref/prompt' as const, name: of.prompt }
        : { type: 'ref/resource' as const, uri: of.template }
    const values = await client
      .complete({ ref, argument: { name, value }, context: { arguments: { ...given } } }, { timeout: ASK_MS, signal })
      .then(({ completion }) => completion.values.filter(isPlain).slice(0, VALUES))
      .catch(() => null)
    if (values === null) return []
    kept.delete(key)
    kept.set(key, { at: performance.now(), values })
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
    return values
  }
}

/** A value is sent as it is: one that hides something is left out instead of being shown differently. */
function isPlain(value: string): boolean {
  return value !== '' && value.length <= LENGTH && visible(value) === value
}
