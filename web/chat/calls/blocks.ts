import type { Part } from '../../../contract/chat.ts'

type PartOf<T extends Part['type']> = Extract<Part, { type: T }>

/** A call with what came of it. */
export interface WorkCall {
  readonly part: PartOf<'tool_call'>
  readonly tables: readonly PartOf<'table'>[]
  readonly files: readonly PartOf<'file'>[]
}
/** What an engine did between two pieces of text, in the order in which it asked for it. */
export interface Work {
  readonly kind: 'work'
  readonly key: number
  readonly steps: readonly (WorkCall | PartOf<'reasoning'>)[]
  readonly calls: readonly WorkCall[]
}
export type Block =
  | Work
  | { readonly kind: 'part'; readonly key: number; readonly part: Exclude<Part, { type: 'tool_call' }> }

/**
 * The parts of an answer as they are shown: consecutive calls together, with the thinking in between, and each table and
 * file with the call that made it, wherever it was stored. A block keeps its place and key however the answer grows.
 */
export function blocksOf(parts: readonly Part[]): readonly Block[] {
  const made = madeBy(parts)
  const blocks: Block[] = []
  let steps: (WorkCall | PartOf<'reasoning'>)[] | null = null
  for (const part of parts) {
    if (part.type === 'tool_call') {
      const { tables = [], files = [] } = made.get(part.tool_call.tool_call_id) ?? {}
      if (steps === null) blocks.push({ kind: 'work', key: part.index, steps: (steps = []), calls: [] })
      steps.push({ part, tables, files })
    } else if (part.type === 'reasoning' && steps !== null) {
      steps.push(part)
    } else if (part.type === 'text' && part.text.trim() === '') {
      // Engines put empty lines between their calls.
    } else if (!isMade(part, made)) {
      steps = null
      blocks.push({ kind: 'part', key: part.index, part })
    }
  }
  return blocks.map((block) =>
    block.kind === 'part' ? block : { ...block, calls: block.steps.filter((step) => 'part' in step) },
  )
}

type Made = ReadonlyMap<string, { readonly tables: PartOf<'table'>[]; readonly files: PartOf<'file'>[] }>

function madeBy(parts: readonly Part[]): Made {
  const made = new Map<string, { tables: PartOf<'table'>[]; files: PartOf<'file'>[] }>()
  for (const part of parts)
    if (part.type === 'tool_call') made.set(part.tool_call.tool_call_id, { tables: [], files: [] })
  for (const part of parts) {
    if (part.type === 'table' && part.tool_call_id !== null) made.get(part.tool_call_id)?.tables.push(part)
    else if (part.type === 'file' && part.tool_call_id !== undefined) made.get(part.tool_call_id)?.files.push(part)
  }
  return made
}

function isMade(part: Part, made: Made): boolean {
  return (part.type === 'table' || part.type === 'file') && made.has(part.tool_call_id ?? '')
}
