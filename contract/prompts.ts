import { z } from 'zod'
import { ModulePrompt } from './modules.ts'
import { json, route } from './route.ts'

/** Maximum characters of a prompt with its arguments filled in. */
export const PROMPT_TEXT_LIMIT = 20_000

export const PromptEntry = ModulePrompt.extend({
  module: z.string(),
  module_title: z.string(),
  /** Its module suggests values for arguments (`POST /api/chat/suggestions`). */
  completes: z.literal(true).optional(),
})
export type PromptEntry = z.infer<typeof PromptEntry>

/** Prompts that modules provide: texts to start from, never sent automatically. */
export const prompts = {
  listPrompts: route({
    method: 'GET',
    path: '/api/chat/prompts',
    summary: 'Prompts of the running modules that I may use',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(z.strictObject({ items: z.array(PromptEntry) })),
    errors: [],
  }),
  fillPrompt: route({
    method: 'POST',
    path: '/api/chat/prompts/{module}/{prompt}',
    summary: 'The text of a prompt of a module, with these arguments',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: z.object({ module: z.string().max(64), prompt: z.string().min(1).max(200) }),
    body: json(z.strictObject({ arguments: z.record(z.string().max(200), z.string().max(10_000)).default({}) })),
    response: json(z.strictObject({ text: z.string() })),
    errors: ['not_found', 'module_unavailable'],
    rateLimit: 300,
  }),
}
