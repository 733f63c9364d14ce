import type { Draft, DraftStep, Param, ProcedureStep } from '../../contract/procedure-values.ts'
import type { Tools } from '../chat/ports/tools.ts'
import type { ProcedureVersionTable } from '../db/rows/procedure-tables.ts'
import { hashOf } from '../kernel/text/canonical.ts'

/** What a review is about: everything that decides what runs, and what people read of it. */
export interface Content {
  readonly name: string
  readonly description: string
  readonly params: readonly Param[]
  readonly steps: readonly ProcedureStep[]
}

export function contentHash({ name, description, params, steps }: Content): string {
  return hashOf({ name, description, params, steps })
}

export function contentOf(row: Pick<ProcedureVersionTable, 'name' | 'description' | 'params' | 'steps'>): Content {
  return {
    name: row.name,
    description: row.description,
    params: JSON.parse(row.params) as Param[],
    steps: JSON.parse(row.steps) as ProcedureStep[],
  }
}

/** A draft with the definitions that its tools have now; none where a tool does not run. */
export function withDefinitions({ name, description, params, steps }: Draft, tools: Pick<Tools, 'find'>): Content {
  return {
    name,
    description,
    params,
    steps: steps.map((step) => ({
      ...step,
      definition_hash: tools.find(step.module, step.tool)?.definition_hash ?? '',
    })),
  }
}

export function contentColumns(content: Content) {
  const { name, description, params, steps } = content
  return {
    name,
    description,
    params: JSON.stringify(params),
    steps: JSON.stringify(steps),
    content_hash: contentHash(content),
  }
}

export function toDraft({ name, description, params, steps }: Content): Draft {
  return { name, description, params: [...params], steps: steps.map(draftStep) }
}

function draftStep({ module, tool, note, arguments: given, confirm }: ProcedureStep): DraftStep {
  return { module, tool, note, arguments: given, confirm }
}
