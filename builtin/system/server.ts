import { McpServer } from '@modelcontextprotocol/server'
import type { CommandWatch } from '../../server/modules/process/command-watch.ts'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import manifest from './manifest.json' with { type: 'json' }
import { cpuTool } from './tools/cpu.ts'
import { disksTool } from './tools/disks.ts'
import { hostTool } from './tools/host.ts'
import { logsTool } from './tools/logs.ts'
import { memoryTool } from './tools/memory.ts'
import { networkTool } from './tools/network.ts'
import { processesTool } from './tools/processes.ts'
import { runCommandTool } from './tools/run-command.ts'
import { servicesTool } from './tools/systemd-services.ts'
import { signalProcessTool } from './tools/signal-process.ts'

/** The system module as an MCP server, not yet connected. */
export function createServer(commands: Pick<CommandWatch, 'watch'> | null): McpServer {
  const server = new McpServer(
    { name: manifest.name, title: manifest.display_name, version: manifest.version },
    { capabilities: { experimental: SETTLED_CAPABILITY } },
  )
  registerTool(server, hostTool)
  registerTool(server, cpuTool)
  registerTool(server, memoryTool)
  registerTool(server, disksTool)
  registerTool(server, networkTool)
  registerTool(server, processesTool)
  registerTool(server, servicesTool)
  registerTool(server, logsTool)
  registerTool(server, runCommandTool(commands))
  registerTool(server, signalProcessTool)
  return server
}
