import type { Preview } from '../../../contract/chat.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { cut, storable, visible } from '../../kernel/text/plain-text.ts'
import { quoted, say, Sentence } from '../../kernel/sentence.ts'
import type { CallHost } from '../ports/hosts.ts'
import type { Tool, ToolPreview, ToolResult } from '../ports/tools.ts'
import type { Step } from '../run/step.ts'
import { aboutChange, changeNamed } from '../changes/about-change.ts'
import { type CallTargets, ownArguments } from '../targets/call-targets.ts'
import { callHelper } from './side-call.ts'

/** What a card shows of a preview; the approval holds for all of it. */
const LINES = 2000
const LINE_LENGTH = 2000
const CHARACTERS = 100_000
/** Machines asked at once. */
const AT_ONCE = 16

/** What a card shows of what its call would change, and what the approval is bound to. */
export interface CallPreview {
  /** Why there is none, as the card says it; null where there is one. */
  readonly problem: string | null
  /** JSON of a Preview, with secrets masked. */
  readonly shown: string
  /** Empty where there is no preview. */
  readonly hash: string
  /** The states that the preview saw, for the call to compare, by machine; the key is empty where it is about none. */
  readonly states: ReadonlyMap<string, string>
}

/** Of one machine. */
type Seen = { readonly problem: string } | { readonly preview: ToolPreview }

/**
 * Asks the tool's module what the call would change, on each of its machines, without changing anything. Null where the
 * tool offers no preview; one that fails is a preview that says why. Rejects only when the run is stopped.
 */
export async function previewCall(
  step: Step,
  tool: Tool,
  input: Record<string, unknown>,
  targets: CallTargets | null,
): Promise<CallPreview | null> {
  if (tool.preview === undefined) return null
  const own = ownArguments(tool, input)
  const named = await changeNamed(step.db.read, step.run.row.user_id, tool, own)
  const look = async (host: CallHost | null): Promise<Seen> => {
    const result = await callHelper(step, tool, tool.preview!, own, aboutChange(named, host), host)
    step.signal.throwIfAborted()
    if (result instanceof Sentence) return problem(step, result)
    if (result.status !== 'done') return problem(step, quoted(failureOf(step, tool, result)))
    if (result.preview === undefined)
      return problem(step, say`What the module gave is not a preview, or it is too large.`)
    return { preview: step.ports.secrets.mask(tool.module, result.preview) }
  }
  if (targets === null || !targets.together) return one(await look(targets?.hosts[0] ?? null), targets)
  const seen: { readonly host: CallHost; readonly seen: Seen }[] = []
  const waiting = [...targets.hosts]
  const worker = async (): Promise<void> => {
    for (let host = waiting.shift(); host !== undefined; host = waiting.shift())
      seen.push({ host, seen: await look(host) })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return several(targets.hosts.map((host) => seen.find((each) => each.host === host)!))
}

function one(seen: Seen, targets: CallTargets | null): CallPreview {
  if ('problem' in seen) {
    const { problem } = seen
    return { problem, shown: JSON.stringify({ problem, parts: [] } satisfies Preview), hash: '', states: new Map() }
  }
  const { state, parts } = seen.preview
  const shown = JSON.stringify(shownPreview(parts, null))
  const seenBy: [string, string][] = state === undefined ? [] : [[targets?.hosts[0]?.host_id ?? '', state]]
  return { problem: null, shown, hash: hashOf(state ?? parts), states: new Map(seenBy) }
}

/** Each part says of which machine it is; what could not be seen there is the problem of all of them. */
function several(all: readonly { readonly host: CallHost; readonly seen: Seen }[]): CallPreview {
  const failed = all.flatMap(({ host, seen }) => ('problem' in seen ? [`${host.name}: ${seen.problem}`] : []))
  const parts = all.flatMap(({ host, seen }) =>
    'problem' in seen ? [] : seen.preview.parts.map((part) => ({ ...part, title: `${host.name}: ${part.title}` })),
  )
  const states = all.flatMap(({ host, seen }): [string, string][] =>
    'preview' in seen && seen.preview.state !== undefined ? [[host.host_id, seen.preview.state]] : [],
  )
  const bound = all.map(({ host, seen }) => [
    host.host_id,
    'preview' in seen ? (seen.preview.state ?? seen.preview.parts) : null,
  ])
  const why = failed.length === 0 ? null : cut(failed.join(' '), 1000)
  return { problem: why, shown: JSON.stringify(shownPreview(parts, why)), hash: hashOf(bound), states: new Map(states) }
}

/** Why a call that asks is refused instead: its tool may only be approved by who has seen what it would do. Else null. */
export function unseen(tool: Tool, preview: CallPreview | null): Sentence | null {
  if (tool.preview_required !== true || preview === null || preview.problem === null) return null
  return say`It was not put up for approval, because what it would do could not be shown: ${preview.problem}`
}

function problem(step: Step, why: Sentence): Seen {
  return { problem: storable(cut(visible(why.in(step.policy.language)), 1000)) }
}

function failureOf({ ports }: Step, { module }: Tool, { text }: ToolResult): string {
  return ports.secrets.mask(module, text.trim())
}

/** As it is shown: escaped, its lines cut, and no more of them than a person can look through. */
function shownPreview(parts: ToolPreview['parts'], problem: string | null): Preview {
  let lines = LINES
  let characters = CHARACTERS
  return {
    problem,
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
