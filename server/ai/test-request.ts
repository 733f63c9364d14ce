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

/** 32 by 32 points of red, as a PNG. */
const RED = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKElEQVR42u3NQQkAAAgAseuf0TCm8CEM9l9TpxIIBAKBQCAQCARfggW09XAu+IMdsgAAAABJRU5ErkJggg==',
  'base64',
)

/** Whether a model sees: a word that it can only know by looking. */
export const ONE_PICTURE: StepRequest = {
  system: 'You are being tested. Do exactly what is asked.',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Which colour is this picture? Answer with one English word.' },
        { type: 'image', media_type: 'image/png', data: RED },
      ],
    },
  ],
  tools: [],
  language: 'en',
}
