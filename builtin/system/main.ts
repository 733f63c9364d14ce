import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createServer } from './server.ts'

// The same server for any MCP client over standard input and output, as the manifest declares.
await createServer(null).connect(new StdioServerTransport())
