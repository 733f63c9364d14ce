import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import type { PromptTool } from '../ports/model.ts'
import type { UserPolicy } from '../ports/policy.ts'
import type { Summary } from './prompt.ts'
import { systemPrompt } from './system-prompt.ts'
import { toolTokens } from './tokens.ts'

/** Tools and characters that are kept of a prompt. */
const TOOLS = 200
const CHARACTERS = 20_000

/** What of a prompt cannot be read again from the conversation: kept with its step. Never a secret. */
export interface PromptRecord {
  /** The newest message that was left out; null: none was. */
  readonly left_out: string | null
  readonly summary: string | null
  readonly shortened: boolean
  /** What comes before the messages; absent where it is as in the step before. */
  readonly frame?: {
    readonly system: string
    readonly personal: string
    readonly tools: readonly (readonly [name: string, tokens: number])[]
    readonly tool_count: number
    readonly tool_tokens: number
  }
  readonly frame_hash?: string
}

/** @param before the hash of the frame of the run's step before, null for none */
export function recordPrompt(
  about: { readonly left_out: string | null; readonly shortened: boolean },
  summary: Summary | null,
  tools: readonly PromptTool[],
  {
    policy,
    told,
    before,
  }: {
    readonly policy: UserPolicy
    readonly told: Parameters<typeof systemPrompt>[2]
    readonly before: string | null
  },
): PromptRecord {
  const frame = {
    system: systemPrompt({ ...policy, personal_prompt: '' }, new Date(), told),
    personal: cut(policy.personal_prompt, CHARACTERS),
    tools: tools.slice(0, TOOLS).map((tool) => [tool.name, toolTokens([tool])] as const),
    tool_count: tools.length,
    tool_tokens: toolTokens(tools),
  }
  const frame_hash = hashOf(frame)
  const record = { ...about, summary: summary === null ? null : cut(summary.text, CHARACTERS), frame_hash }
  return frame_hash === before ? record : { ...record, frame }
}

/** The hash of the frame that the last step of a run kept. */
export async function lastFrame(reader: Reader, run_id: string): Promise<string | null> {
  const found = await LAST.first(reader, { run_id })
  return found === undefined ? null : (recordIn(found.output).frame_hash ?? null)
}

/** What a step has kept of its prompt: nothing without an engine, and before prompts were recorded. */
export function recordIn(output: string): Partial<PromptRecord> {
  return (JSON.parse(output) as { prompt?: PromptRecord }).prompt ?? {}
}

const LAST = query((db, is: { run_id: string }) =>
  db
    .selectFrom('step')
    .select('output')
    .where('run_id', '=', is.run_id)
    .where('kind', '=', 'model')
    .orderBy('step', 'desc')
    .limit(1),
)
