import type { ModuleInstructions } from '../../../contract/module-offer.ts'
import type { ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { unavailable } from '../supervision/run-call.ts'
import { type AgreedTool, agreedTools, runtimeTools } from '../supervision/runtime-tools.ts'
import { failed, toToolResult } from '../result/tool-result.ts'
import { pinnedInstructions } from '../mcp/instructions.ts'
import type { PinnedTool } from '../mcp/pinned-tool.ts'
import type { AskOwner } from './ask-owner.ts'
import { type ToldRuntime, unpackResult } from './packed-values.ts'

/** A module that another process runs, as far as that has told: its tools, and calls to them. */
export class RoutedModule {
  #spec: ModuleSpec
  #told: ToldRuntime | null = null
  #pinned: ReadonlyMap<string, PinnedTool> = new Map()
  #tools: ReadonlyMap<string, AgreedTool> = new Map()
  #calls = 0
  /** Of what was told, the number that is known here. */
  number = -1

  constructor(spec: ModuleSpec) {
    this.#spec = spec
  }

  get busy(): boolean {
    return this.#calls > 0
  }

  /** As last told, also while the module moves: it will be there again. */
  get tools(): ReadonlyMap<string, AgreedTool> {
    return this.#tools
  }

  get known(): boolean {
    return this.#told !== null
  }

  apply(spec: ModuleSpec): void {
    this.#spec = spec
    this.#agree()
  }

  async tell(told: ToldRuntime, number: number): Promise<void> {
    const { pinTools } = await import('../mcp/tool-list.ts')
    const { name, version, reach } = this.#spec
    this.number = number
    this.#told = told
    // While it starts again its tools stay: calls wait for it.
    if (told.definitions.length > 0 || told.runtime.state !== 'starting')
      this.#pinned = pinTools(told.definitions, {
        module: name,
        version,
        builtin: false,
        reach,
        overHttp: false,
        icons: told.runtime.icons ?? null,
      }).tools
    this.#agree()
  }

  /** As last told, agreed to or not by what is known here. */
  get instructions(): ModuleInstructions | null {
    return pinnedInstructions(this.#told?.runtime.instructions ?? null, this.#pins())
  }

  runtime(moving: boolean): ModuleRuntime {
    const told = this.#told?.runtime
    if (told === undefined || moving) return down(this.#spec.name, told)
    return { ...told, tools: runtimeTools(this.#pinned, this.#pins()), instructions: this.instructions }
  }

  async call(
    request: ToolRequest,
    signal: AbortSignal,
    progress: (text: string) => void,
    asked: AskOwner,
    owner: string | null,
  ): Promise<ToolResult> {
    const tool = this.#tools.get(request.tool)
    if (tool === undefined) return unavailable(request)
    this.#calls++
    try {
      // What was allowed is bound to the definition known here; the owner compares it with its own.
      const bound = { ...request, definition_hash: request.definition_hash ?? tool.definition_hash }
      const answer = await asked.call(bound, { owner, signal, progress })
      if (answer.kind === 'done') return unpackResult(answer.result)
      if (answer.kind === 'lost') return await lost(answer.why, tool)
      if (signal.aborted) return { ...failed('Cancelled before it started.'), status: 'cancelled' }
      return failed(`No process took the call of ${request.module}.${request.tool}, so it was not run.`)
    } finally {
      this.#calls--
    }
  }

  #agree(): void {
    this.#tools = agreedTools(this.#pinned, this.#pins(), this.#spec.helpers === true)
  }

  #pins(): ReadonlyMap<string, string> {
    return this.#spec.pins ?? new Map()
  }
}

function lost(why: 'closed' | 'cancelled', { effect }: AgreedTool): Promise<ToolResult> {
  return toToolResult({ kind: 'lost', why }, { effect, builtin: false, seconds: 0, read: () => Promise.resolve([]) })
}

/** A module that nobody runs at the moment. */
function down(name: string, told: ModuleRuntime | undefined): ModuleRuntime {
  const problem: Sentence = say`It is moving to another process.`
  return {
    name,
    state: 'starting',
    problem: told === undefined ? null : problem,
    isolation: null,
    tools: told?.tools ?? [],
    prompts: told?.prompts ?? [],
    protocol: null,
    process: null,
    started_at: null,
    restarts: told?.restarts ?? 0,
    next_start_at: null,
    last_exits: told?.last_exits ?? [],
    state_history: told?.state_history ?? [],
    stderr: told?.stderr ?? [],
  }
}
