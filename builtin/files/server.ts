import { McpServer } from '@modelcontextprotocol/server'
import type { ModuleFiles } from '../../server/modules/module-files.ts'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import manifest from './manifest.json' with { type: 'json' }
import { listTool } from './tools/list.ts'
import { readTool } from './tools/read.ts'
import { searchTool } from './tools/search.ts'
import { previewUndoWriteTool, undoWriteTool } from './tools/undo-write.ts'
import { previewWriteTool, verifyWriteTool } from './tools/write-checks.ts'
import { writeTool } from './tools/write.ts'

/** The files module as an MCP server, not yet connected. */
export function createServer(files: ModuleFiles): McpServer {
  const server = new McpServer(
    { name: manifest.name, title: manifest.display_name, version: manifest.version },
    { capabilities: { experimental: SETTLED_CAPABILITY } },
  )
  registerTool(server, listTool(files))
  registerTool(server, readTool(files))
  registerTool(server, searchTool(files))
  registerTool(server, writeTool(files))
  registerTool(server, previewWriteTool(files))
  registerTool(server, verifyWriteTool(files))
  registerTool(server, undoWriteTool(files))
  registerTool(server, previewUndoWriteTool(files))
  return server
}
