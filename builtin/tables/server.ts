import { McpServer } from '@modelcontextprotocol/server'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import manifest from './manifest.json' with { type: 'json' }
import type { StoredTables } from './stored-table.ts'
import { aggregateTool } from './tools/aggregate.ts'
import { describeTool } from './tools/describe.ts'
import { filterTool } from './tools/filter.ts'
import { joinTool } from './tools/join.ts'
import { queryTool } from './tools/query.ts'

/** The tables module as an MCP server, not yet connected. */
export function createServer(stored: StoredTables): McpServer {
  const server = new McpServer(
    { name: manifest.name, title: manifest.display_name, version: manifest.version },
    { capabilities: { experimental: SETTLED_CAPABILITY } },
  )
  registerTool(server, describeTool(stored))
  registerTool(server, filterTool(stored))
  registerTool(server, aggregateTool(stored))
  registerTool(server, joinTool(stored))
  registerTool(server, queryTool(stored))
  return server
}
