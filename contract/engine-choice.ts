import { z } from 'zod'
import { json, route } from './route.ts'
import { Id } from './values.ts'

/** An engine and one of its models, as chosen for a conversation. */
export const EngineChoice = z.strictObject({ engine_id: Id, model: z.string().min(1).max(300) })

export const engineChoices = {
  listEngines: route({
    method: 'GET',
    path: '/api/chat/engines',
    summary: 'The engines and models that I may choose for a conversation, the default first',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(
      z.strictObject({
        items: z.array(
          z.strictObject({
            engine_id: Id,
            name: z.string(),
            /** Its default model. */
            model: z.string(),
            models: z.array(z.string()),
            /** Tokens that fit into one request. */
            context_tokens: z.int(),
            /** How much of that definitions of tools may fill; of more, some are given, and others are found. */
            tool_tokens: z.int(),
            /** The models that take no tools; processes of a version before this do not say it. */
            without_tools: z.array(z.string()).optional(),
          }),
        ),
      }),
    ),
    errors: [],
  }),
}
