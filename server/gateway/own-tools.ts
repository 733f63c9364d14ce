import type { Tool } from '@modelcontextprotocol/server'

/** Waits for what has not ended. */
export const RESULT: Tool = {
  name: 'reeve_result',
  title: 'Result of a call',
  description: 'Waits for the end of a call that waits for a decision or is still running, and gives its result.',
  inputSchema: {
    type: 'object',
    properties: { call: { type: 'string', description: 'The handle that the call answered with.' } },
    required: ['call'],
    additionalProperties: false,
  },
  annotations: { title: 'Result of a call', readOnlyHint: true },
}

/** For lists that are too long for a model: what is not in them is found by words, and called by name. */
export const FIND: Tool = {
  name: 'reeve_find',
  title: 'Find tools',
  description:
    'Finds further tools by words of what they do; gives their names, descriptions and arguments. Call what it finds with reeve_call.',
  inputSchema: {
    type: 'object',
    properties: { words: { type: 'string', description: 'A few words, such as: certificates of the web server' } },
    required: ['words'],
    additionalProperties: false,
  },
  annotations: { title: 'Find tools', readOnlyHint: true },
}

export const CALL: Tool = {
  name: 'reeve_call',
  title: 'Call a tool that was found',
  description: 'Calls a tool by the name that reeve_find gave. Rules and approvals are those of that tool.',
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'The name of the tool.' },
      arguments: { type: 'object', description: 'Its arguments, as its own schema wants them.' },
    },
    required: ['tool'],
    additionalProperties: false,
  },
  annotations: { title: 'Call a tool that was found', readOnlyHint: false, destructiveHint: true },
}
