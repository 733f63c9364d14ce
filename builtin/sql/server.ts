import { McpServer } from '@modelcontextprotocol/server'
import type { BuiltinSettings } from '../../server/modules/spec/builtin-module.ts'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import { sqlSettings } from './connections/sql-settings.ts'
import manifest from './manifest.json' with { type: 'json' }
import { databasesTool } from './tools/databases.ts'
import { executeTool } from './tools/execute.ts'
import { explainTool } from './tools/explain.ts'
import { previewExecuteTool } from './tools/preview-execute.ts'
import { queryTool } from './tools/query.ts'
import { schemaTool } from './tools/schema.ts'

/** The SQL module as an MCP server, not yet connected. It leaves out tools that its settings forbid altogether. */
export function createServer(settings: BuiltinSettings, dataFolder: string): McpServer {
  const read = sqlSettings(settings, dataFolder)
  const server = new McpServer(
    { name: manifest.name, title: manifest.display_name, version: manifest.version },
    { capabilities: { experimental: SETTLED_CAPABILITY } },
  )
  registerTool(server, databasesTool(read))
  registerTool(server, schemaTool(read))
  registerTool(server, queryTool(read))
  registerTool(server, explainTool(read))
  if (!read.readOnly) {
    registerTool(server, executeTool(read))
    registerTool(server, previewExecuteTool(read))
  }
  return server
}
