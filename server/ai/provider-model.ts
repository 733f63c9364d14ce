import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible'

/** A model as the packages of all providers give it: one method per request, and a prompt in one form for all. */
export type ProviderModel = ReturnType<OpenAICompatibleProvider['chatModel']>
export type ProviderRequest = Parameters<ProviderModel['doStream']>[0]
export type ProviderMessage = ProviderRequest['prompt'][number]
type Streamed = Awaited<ReturnType<ProviderModel['doStream']>>['stream']
/** A piece of an answer. */
export type ProviderPart = Streamed extends ReadableStream<infer Part> ? Part : never
