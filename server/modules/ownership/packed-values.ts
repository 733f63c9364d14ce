import type { ToolFile, ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import { type PackedSentence, Sentence } from '../../kernel/sentence.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'

/** What a call is about, without what only whoever asked can do. */
export type PackedRequest = Omit<ToolRequest, 'ask'>

export function packRequest({ ask: _ask, ...request }: ToolRequest): PackedRequest {
  return request
}

type PackedResult = Omit<ToolResult, 'files'> & {
  readonly files: readonly (Omit<ToolFile, 'data'> & { readonly data: string })[]
}

export function packResult(result: ToolResult): PackedResult {
  return {
    ...result,
    files: result.files.map((file) => ({ ...file, data: Buffer.from(file.data).toString('base64') })),
  }
}

export function unpackResult(packed: unknown): ToolResult {
  const result = packed as PackedResult
  return { ...result, files: result.files.map((file) => ({ ...file, data: Buffer.from(file.data, 'base64') })) }
}

export interface ToldRuntime {
  readonly runtime: ModuleRuntime
  /** The module's tools as it listed them. */
  readonly definitions: readonly unknown[]
}

/** JSON, with the sentences so that they can be translated elsewhere. */
export function packRuntime({ runtime, definitions }: ToldRuntime): string {
  const { problem, isolation, last_exits, state_history } = runtime
  return JSON.stringify({
    definitions,
    runtime: {
      ...runtime,
      problem: problem?.pack() ?? null,
      isolation: isolation && { ...isolation, reason: isolation.reason.pack() },
      last_exits: last_exits.map((exit) => ({ ...exit, reason: exit.reason.pack() })),
      state_history: state_history.map((state) => ({ ...state, problem: state.problem?.pack() ?? null })),
    },
  })
}

type Packed<T> = T extends Sentence ? PackedSentence : T extends object ? { [K in keyof T]: Packed<T[K]> } : T

export function unpackRuntime(text: string): ToldRuntime {
  const { runtime, definitions } = JSON.parse(text) as Packed<ToldRuntime>
  const { problem, isolation, last_exits, state_history } = runtime
  const told = {
    ...runtime,
    problem: problem && Sentence.unpack(problem),
    isolation: isolation && { ...isolation, reason: Sentence.unpack(isolation.reason) },
    last_exits: last_exits.map((exit) => ({ ...exit, reason: Sentence.unpack(exit.reason) })),
    state_history: state_history.map((state) => ({
      ...state,
      problem: state.problem && Sentence.unpack(state.problem),
    })),
  }
  return { runtime: told as ModuleRuntime, definitions }
}
