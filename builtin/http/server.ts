import { McpServer } from '@modelcontextprotocol/server'
import type { GuardedFetchOptions } from '../../server/kernel/network/guarded-fetch.ts'
import type { BuiltinSettings } from '../../server/modules/spec/builtin-module.ts'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import { httpSettings } from './http-settings.ts'
import manifest from './manifest.json' with { type: 'json' }
import { fetchTool } from './tools/fetch.ts'
import { requestTool } from './tools/request.ts'

/**
 * The HTTP module as an MCP server, not yet connected. `lookup` resolves host names; by default the system does.
 * @throws {Error} with a sentence, when a setting is invalid
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
