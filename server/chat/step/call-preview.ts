import type { Preview } from '../../../contract/chat.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { quoted, say, Sentence } from '../../kernel/sentence.ts'
import type { Tool, ToolPreview, ToolResult } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'
import { aboutChange } from '../changes/about-change.ts'
import { callHelper } from './side-call.ts'

/** What a card shows of a preview; the approval holds for all of it. */
const LINES = 2000
const LINE_LENGTH = 2000
const CHARACTERS = 100_000

/** What a card shows of what its call would change, and what the approval is bound to. */
export interface CallPreview {
  /** Why there is none, as the card says it; null where there is one. */
  readonly problem: string | null
  /** JSON of a Preview, with secrets masked. */
  readonly shown: string
  /** Empty where there is no preview. */
  readonly hash: string
  /** The state that the preview saw, for the call to compare. */
  readonly state: string | undefined
}

/**
 * Asks the tool's module what the call would change, without changing anything. Null where the tool offers no preview;
 * one that fails is a preview that says why. Rejects only when the run is stopped.
 */
export async function previewCall(step: Step, tool: Tool, input: Record<string, unknown>): Promise<CallPreview | null> {
  if (tool.preview === undefined) return null
  const about = await aboutChange(step.db.read, step.run.row.user_id, tool, input)
  const result = await callHelper(step, tool, tool.preview, input, about)
  step.signal.throwIfAborted()
  if (result instanceof Sentence) return none(step, result)
  if (result.status !== 'done') return none(step, quoted(failureOf(step, tool, result)))
  const { preview } = result
  if (preview === undefined) return none(step, say`What the module gave is not a preview, or it is too large.`)
  const shown = JSON.stringify(shownPreview(step.ports.secrets.mask(tool.module, preview)))
  return { problem: null, shown, hash: hashOf(preview.state ?? preview.parts), state: preview.state }
}

/** Why a call that asks is refused instead: its tool may only be approved by who has seen what it would do. Else null. */
export function unseen(tool: Tool, preview: CallPreview | null): Sentence | null {
  if (tool.preview_required !== true || preview === null || preview.problem === null) return null
  return say`It was not put up for approval, because what it would do could not be shown: ${preview.problem}`
}

function none(step: Step, why: Sentence): CallPreview {
  const problem = storable(cut(visible(why.in(step.policy.language)), 1000))
  return { problem, shown: JSON.stringify({ problem, parts: [] } satisfies Preview), hash: '', state: undefined }
}

function failureOf({ ports }: Step, { module }: Tool, { text }: ToolResult): string {
  return ports.secrets.mask(module, text.trim())
}

/** As it is shown: escaped, its lines cut, and no more of them than a person can look through. */
function shownPreview({ parts }: ToolPreview): Preview {
  let lines = LINES
  let characters = CHARACTERS
  return {
    problem: null,
    parts: parts.map(({ kind, title, text }) => {
      const all = storable(text).split('\n')
      if (all.at(-1) === '') all.pop()
      const kept: string[] = []
      for (const line of all) {
        const shown = cut(visible(cut(line, LINE_LENGTH)), LINE_LENGTH)
        if (lines <= 0 || shown.length > characters) break
        lines--
        characters -= shown.length + 1
        kept.push(shown)
      }
      return {
        kind,
        title: storable(visible(title)).replaceAll('\n', ' '),
        text: kept.join('\n'),
        more_lines: all.length - kept.length,
      }
    }),
  }
}
