import type { CallRepair } from '../../../contract/messages.ts'
import type { EngineFailure } from '../../../contract/engine-failures.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import type { ProcedurePlan } from './procedures.ts'

/**
 * The port through which a run asks an engine for one step. `ai` implements it (providers and direct mode), `app` fills
 * it. One step is one request to the model: looping over steps, policy and storage belong to the runner.
 */
export interface Model {
  /**
   * The engine for a message; direct mode for `/module.tool …` and when a role may use no engine. One that is gone, or that
   * the role may not use, is replaced by the role's default.
   */
  choose(message: string, by: EngineUser): Engine
  /** What stands in for an engine that fails; null: nothing, or nothing that the role may use. */
  fallback(engine_id: string, role_id: string): Engine | null
  /** The engine that names columns and conversations; direct mode if there is none. */
  naming(role_id: string): Engine
  /** Whether it names conversations after their first exchange. */
  titles(): boolean
  /** How an ordinary message would be answered now; without a role, by the default engine. */
  describe(role_id?: string): { ai_mode: 'model' | 'direct'; model: string | null }
  /** What a role may choose from, the default first. */
  options(role_id: string): readonly EngineOption[]
}

/** An engine and one of its models. */
export interface EngineChoice {
  readonly engine_id: string
  readonly model: string
}

export interface EngineUser {
  readonly role_id: string
  /** What the conversation has chosen; null: the default. */
  readonly choice: EngineChoice | null
  /** The procedure that the run carries out, and how many of its steps are done: then no message is read. */
  readonly procedure?: { readonly plan: ProcedurePlan; readonly done: number } | undefined
}

export interface EngineOption {
  readonly engine_id: string
  readonly name: string
  readonly models: readonly string[]
  /** The one of them that answers unless another is chosen. */
  readonly model: string
  readonly context_tokens: number
  /** The models that are known to take no tools. */
  readonly without_tools: readonly string[]
}

export interface Engine {
  readonly ai_mode: 'model' | 'direct'
  /** Null in direct mode. */
  readonly engine_id: string | null
  /** What administrators call it; null in direct mode. */
  readonly name: string | null
  /** Name of the model, for the record; null in direct mode. */
  readonly model: string | null
  /** Tokens that fit into one request; null when there is no limit (direct mode). */
  readonly context_tokens: number | null
  /** Price per million tokens, in millionths of the currency unit; null when unknown. */
  readonly price: { input_micros: number; output_micros: number } | null
  /** What its model takes. */
  readonly abilities: ModelAbilities
  /** Remembers what a failure has taught about its model, for all later steps. */
  learn(lesson: ModelLesson): Promise<void>
  /**
   * Streams one step and ends after `finish`. Aborting `signal` ends it with an AbortError.
   * @throws {EngineError} whenever the provider or the network fails, even in the middle of the stream.
   */
  step(request: StepRequest, signal: AbortSignal): AsyncIterable<StepChunk>
}

/** null: unknown, so it is tried. */
export interface ModelAbilities {
  readonly tools: boolean | null
  readonly pictures: boolean | null
  /** Whether pictures may follow the results of tools. */
  readonly tool_pictures: boolean | null
}

/** What a refused request says about a model: something that it does not take, or how many tokens it does. */
export type ModelLesson = { readonly lacks: keyof ModelAbilities } | { readonly context_tokens: number }

/** What takes everything, because it reads none of it. */
export const ABLE: Pick<Engine, 'abilities' | 'learn'> = {
  abilities: { tools: true, pictures: true, tool_pictures: true },
  learn: () => Promise.resolve(),
}

/** What a request to an engine cost, in millionths of the currency unit; null if the engine has no price. */
export function costOf(
  { price }: Pick<Engine, 'price'>,
  { input_tokens, output_tokens }: { readonly input_tokens: number; readonly output_tokens: number },
): number | null {
  if (price === null) return null
  return Math.round((input_tokens * price.input_micros + output_tokens * price.output_micros) / 1_000_000)
}

export interface StepRequest {
  readonly system: string
  readonly messages: readonly PromptMessage[]
  readonly tools: readonly PromptTool[]
  /** Names of tools that may be called although they are not described. */
  readonly others?: readonly string[]
  /** Tools the person may not use, by name, each with the reason; only for requests that name one explicitly. */
  readonly refusals?: ReadonlyMap<string, string>
  /** The person's language (`en`, `de` …), used by direct mode. */
  readonly language: string
}

/**
 * The conversation as a model reads it. Tool results follow the assistant message that asked for them; `tables` counts
 * those shown to the person as grids.
 */
export type PromptMessage =
  | { role: 'user'; content: readonly PromptContent[] }
  | {
      role: 'assistant'
      text: string
      /** Reasoning of this step, with whatever the provider wants returned (signatures). */
      reasoning: readonly { text: string; provider: unknown }[]
      calls: readonly { call_id: string; name: string; input: unknown; provider: unknown }[]
    }
  | {
      role: 'tool'
      results: readonly {
        call_id: string
        name: string
        output: string
        failed: boolean
        tables: number
        /** Those that it returned, for models that see. */
        pictures?: readonly PromptPicture[]
      }[]
    }

export interface PromptPicture {
  readonly media_type: string
  readonly data: Uint8Array
}

export type PromptContent = { type: 'text'; text: string } | ({ type: 'image' } & PromptPicture)

/** `name` is `<module>.<tool>`; an engine maps it to a name its provider accepts, and back. */
export interface PromptTool {
  readonly name: string
  /** Only for direct mode, which suggests tools by it. */
  readonly title?: string
  readonly description: string
  /** Only for direct mode, too: title and description as the user reads them. */
  readonly read?: { readonly title: string; readonly description: string }
  readonly input_schema: Record<string, unknown>
}

export type StepChunk =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** The preceding reasoning block is complete; `provider` is opaque JSON to hand back on the next step. */
  | { type: 'reasoning_end'; provider: unknown }
  /** A complete tool call. `input` is null and `malformed` the raw text when the arguments are not a JSON object. */
  | {
      type: 'call'
      /** The provider's id of the call. */
      call_id: string
      name: string
      input: Record<string, unknown> | null
      malformed: string | null
      /** What was mended of it, because it could only mean one thing. */
      repaired?: readonly CallRepair[]
      provider: unknown
    }
  | {
      type: 'finish'
      /** `malformed`: the provider could not read the call that its model wanted to make. */
      reason: 'stop' | 'calls' | 'length' | 'filtered' | 'malformed' | 'other'
      /** Zero if the provider does not report it. */
      input_tokens: number
      output_tokens: number
    }

/** Why an engine gave no answer, or only part of one. */
export class EngineError extends Error {
  readonly code: EngineFailure
  /** Seconds after which the provider wants to be asked again; null if it doesn't say. */
  readonly retryAfter: number | null
  /** Seconds that were waited for in vain; null unless a deadline was missed. */
  readonly waited: number | null
  /** The same request may be answered a moment later. */
  readonly passing: boolean
  /** What was refused has to do with the provider, not with the request: another engine may answer it. */
  readonly elsewhere: boolean
  /** What it says about the model; null: nothing. */
  readonly lesson: ModelLesson | null
  /** For the person: what went wrong, and what to do about it. `message` is its English. */
  readonly detail: Sentence
  /** What the provider or the network reported, never including the key; empty when nothing. */
  readonly said: string | Sentence
  constructor(
    code: EngineFailure,
    detail: Sentence,
    options: {
      retryAfter?: number | null
      waited?: number | null
      said?: EngineError['said']
      passing?: boolean
      elsewhere?: boolean
      lesson?: ModelLesson | null
      cause?: unknown
    } = {},
  ) {
    super(detail.toString(), { cause: options.cause })
    this.name = 'EngineError'
    this.code = code
    this.detail = detail
    this.retryAfter = options.retryAfter ?? null
    this.waited = options.waited ?? null
    this.said = options.said ?? ''
    this.elsewhere = options.elsewhere ?? false
    this.lesson = options.lesson ?? null
    this.passing = options.passing ?? code === 'engine_cut'
  }
}
