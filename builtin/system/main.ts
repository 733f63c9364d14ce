import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { localMachines } from '../../server/hosts/local/local-machines.ts'
import { createServer } from './server.ts'

// The same server for any MCP client over standard input and output, as the manifest declares, for this machine alone.
await createServer(localMachines(null)).connect(new StdioServerTransport())
