import { z } from 'zod'
import { EngineProviderName } from '../../contract/engines.ts'

/** The value of the setting: an engine as saved, with its key sealed. */
export const StoredEngine = z.object({
  provider: EngineProviderName,
  base_url: z.string().nullable(),
  model: z.string(),
  sealed_key: z.string().nullable(),
  key_updated_at: z.number().nullable(),
  context_tokens: z.number(),
  price: z.object({ input_micros: z.number(), output_micros: z.number() }).nullable(),
  timeout_ms: z.number(),
  idle_timeout_ms: z.number(),
  updated_by: z.string(),
})
export type StoredEngine = z.infer<typeof StoredEngine>
