import { McpServer } from '@modelcontextprotocol/server'
import type { Machines } from '../../server/modules/machines.ts'
import { registerTool, SETTLED_CAPABILITY } from '../tool.ts'
import manifest from './manifest.json' with { type: 'json' }
import { commandAsRootTool } from './operations/command-as-root.ts'
import { fileTools } from './operations/file.ts'
import { journalVacuumTools } from './operations/journal-vacuum.ts'
import { operationTool } from './operations/ended-operation.ts'
import { packageTools } from './operations/package.ts'
import { powerTools } from './operations/power.ts'
import { serviceTools } from './operations/service-unit.ts'
import { previewUndoTool, undoTool } from './operations/undo.ts'
import { userTools } from './operations/user.ts'
import { certificatesTool } from './tools/certificates.ts'
import { cpuTool } from './tools/cpu.ts'
import { diskUsageTool } from './tools/disk-usage.ts'
import { disksTool } from './tools/disks.ts'
import { firewallTool } from './tools/firewall.ts'
import { hostTool } from './tools/host.ts'
import { logsTool } from './tools/logs.ts'
import { memoryTool } from './tools/memory.ts'
import { networkTool } from './tools/network.ts'
import { packagesTool } from './tools/packages.ts'
import { processesTool } from './tools/processes.ts'
import { runCommandTool } from './tools/run-command.ts'
import { servicesTool } from './tools/systemd-services.ts'
import { signalProcessTool } from './tools/signal-process.ts'
import { timersTool } from './tools/timers.ts'
import { usersTool } from './tools/users.ts'

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
  registerTool(server, packagesTool(machines))
  registerTool(server, diskUsageTool(machines))
  registerTool(server, timersTool(machines))
  registerTool(server, usersTool(machines))
  registerTool(server, certificatesTool(machines))
  registerTool(server, firewallTool(machines))
  for (const tool of serviceTools(machines)) registerTool(server, tool)
  for (const tool of packageTools(machines)) registerTool(server, tool)
  for (const tool of fileTools(machines)) registerTool(server, tool)
  for (const tool of userTools(machines)) registerTool(server, tool)
  for (const tool of journalVacuumTools(machines)) registerTool(server, tool)
  for (const tool of powerTools(machines)) registerTool(server, tool)
  registerTool(server, undoTool(machines))
  registerTool(server, previewUndoTool(machines))
  registerTool(server, operationTool(machines))
  registerTool(server, runCommandTool(machines))
  registerTool(server, commandAsRootTool(machines))
  registerTool(server, signalProcessTool(machines))
  return server
}
