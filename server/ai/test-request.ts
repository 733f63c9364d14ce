import type { StepRequest } from '../chat/ports/model.ts'

/** The request that tests an engine's settings: one tool call, as short as possible. */
export const TEST_REQUEST: StepRequest = {
  system: 'You are being tested. Do exactly what is asked.',
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'Call the tool test.report with the value "ready". Say nothing else.' }],
    },
  ],
  tools: [
    {
      name: 'test.report',
      description: 'Reports a value. Call it when you are asked to.',
      input_schema: {
        type: 'object',
        properties: { value: { type: 'string' } },
        required: ['value'],
        additionalProperties: false,
      },
    },
  ],
  language: 'en',
}
