import { McpServer } from '@modelcontextprotocol/server'
import type { GuardedFetchOptions } from '../../server/kernel/guarded-fetch.ts'
import type { BuiltinSettings } from '../../server/modules/builtin-module.ts'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import { httpSettings } from './http-settings.ts'
import manifest from './manifest.json' with { type: 'json' }
import { fetchTool } from './tools/fetch.ts'
import { requestTool } from './tools/request.ts'

/**
 * The HTTP module as an MCP server that is not connected yet. `lookup` resolves host names, the system's way unless given.
 * @throws {Error} a sentence, when a setting makes no sense.
 */
export function createServer(settings: BuiltinSettings, lookup?: GuardedFetchOptions['lookup']): McpServer {
  const read = httpSettings(settings, lookup)
  const server = new McpServer(
    { name: manifest.name, title: manifest.display_name, version: manifest.version },
    { capabilities: { experimental: SETTLED_CAPABILITY } },
  )
  registerTool(server, fetchTool(read))
  registerTool(server, requestTool(read))
  return server
}
