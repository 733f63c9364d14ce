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

/** The same for two calls in one answer. */
export const TWO_CALLS: StepRequest = {
  ...TEST_REQUEST,
  messages: [
    {
      role: 'user',
      content: [
        {
          type: 'text',
          text: 'Call the tool test.report twice at once: with the value "ready", and with the value "steady". Say nothing else.',
        },
      ],
    },
  ],
}

/** Whether a model sees: what stands in a picture, which it can only know by looking. */
export function numberRequest(picture: Buffer): StepRequest {
  return {
    system: 'You are being tested. Do exactly what is asked.',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which number is in this picture? Answer with its digits alone.' },
          { type: 'image', media_type: 'image/png', data: picture },
        ],
      },
    ],
    tools: [],
    language: 'en',
  }
}
