'use strict'
// mcp.js speaks the protocol; this file says what the module can do.
const { serve, ToolError } = require('./mcp.js')
const { version } = require('./manifest.json')

serve({
  name: '{{name}}',
  version,
  tools: [
    {
      name: 'greet',
      title: 'Greet',
      description: 'Greets somebody by name. Use it when the person asks for a greeting.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1, maxLength: 100, description: 'Whom to greet' } },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
      run({ name }, { progress }) {
        if (name.trim() === '') throw new ToolError('"name" must be a text that is not empty.')
        progress('Looking for the right words')
        return `${process.env.GREETING ?? 'Hello'}, ${name.trim()}.`
      },
    },
  ],
  resources: [
    {
      uri: 'greetings://words',
      name: 'words',
      title: 'Words of greeting',
      description: 'The words that it greets with, one per line',
      mimeType: 'text/plain',
      read: () => `${process.env.GREETING ?? 'Hello'}\n`,
    },
  ],
})
