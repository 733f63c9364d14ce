'use strict'
// Settings, a secret, a read-only tool, a table, and errors that say what to do.
const { serve, ToolError } = require('./mcp.js')
const { version } = require('./manifest.json')

const { INVENTORY_URL: url, INVENTORY_TOKEN: token, INVENTORY_LIMIT: limit } = process.env

async function readHosts(signal) {
  let response
  try {
    const headers = { authorization: `Bearer ${token}` }
    response = await fetch(new URL('hosts', `${url}/`), {
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]),
    })
  } catch (error) {
    throw new ToolError(
      `The inventory at ${url} does not answer (${error.cause?.code ?? error.message}). Check the setting Address.`,
    )
  }
  if (response.status === 401 || response.status === 403)
    throw new ToolError('The inventory refuses the token. Set a new one in the settings of this module.')
  if (!response.ok) throw new ToolError(`The inventory answers with status ${response.status}. Try again later.`)
  return response.json()
}

serve({
  name: 'hosts',
  version,
  tools: [
    {
      name: 'list_hosts',
      title: 'List hosts',
      description: 'Hosts of the inventory with state and free memory. Use it to find out which machines there are.',
      inputSchema: {
        type: 'object',
        properties: { state: { type: 'string', enum: ['up', 'down'], description: 'Only hosts in this state' } },
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: true },
      async run({ state }, { signal }) {
        const hosts = (await readHosts(signal)).filter((host) => state === undefined || host.state === state)
        const rows = hosts.slice(0, Number(limit)).map(({ name, state: is, free }) => ({ name, state: is, free }))
        const columns = [
          { key: 'name', label: 'Name', type: 'text' },
          { key: 'state', label: 'State', type: 'text' },
          { key: 'free', label: 'Free memory', type: 'bytes' },
        ]
        return {
          content: [{ type: 'text', text: `${hosts.length} hosts${state ? ` are ${state}` : ''}.` }],
          structuredContent: { tables: [{ title: 'Hosts', columns, rows, total_rows: hosts.length }] },
        }
      },
    },
  ],
})
