import { McpServer } from '@modelcontextprotocol/server'
import type { Machines } from '../../server/modules/machines.ts'
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

/** The system module as an MCP server, not yet connected; each call names one of the machines. */
export function createServer(machines: Machines): McpServer {
  const server = new McpServer(
    { name: manifest.name, title: manifest.display_name, version: manifest.version },
    { capabilities: { experimental: SETTLED_CAPABILITY } },
  )
  registerTool(server, hostTool(machines))
  registerTool(server, cpuTool(machines))
  registerTool(server, memoryTool(machines))
  registerTool(server, disksTool(machines))
  registerTool(server, networkTool(machines))
  registerTool(server, processesTool(machines))
  registerTool(server, servicesTool(machines))
  registerTool(server, logsTool(machines))
  registerTool(server, runCommandTool(machines))
  registerTool(server, signalProcessTool(machines))
  return server
}
