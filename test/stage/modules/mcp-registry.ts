import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A registry of MCP servers that has three. */
export async function serveServers() {
  const asked: string[] = []
  const listed = (server: object) => ({
    server: { version: '1.1.0', ...server },
    _meta: { 'io.modelcontextprotocol.registry/official': { status: 'active', isLatest: true } },
  })
  const answer = {
    servers: [
      listed({
        name: 'test/greeter',
        title: 'The greeter',
        description: 'Greets whom it is told to.',
        packages: [
          {
            registryType: 'npm',
            identifier: '@test/greeter',
            version: '1.1.0',
            transport: { type: 'stdio' },
            environmentVariables: [{ name: 'GREETER_KEY', description: 'Its key', isRequired: true, isSecret: true }],
            packageArguments: [{ type: 'positional', valueHint: 'greeting', isRequired: true }],
          },
        ],
        remotes: [{ type: 'streamable-http', url: 'https://mcp.example/mcp' }],
      }),
      listed({
        name: 'test/boxed',
        description: 'Greets from a box.',
        packages: [{ registryType: 'oci', identifier: 'test/boxed', transport: { type: 'stdio' } }],
      }),
      listed({
        name: 'test/keyed',
        description: 'Greets who has the key.',
        packages: [
          {
            registryType: 'npm',
            identifier: '@test/keyed',
            packageArguments: [{ type: 'named', name: '--key', isRequired: true, isSecret: true }],
          },
        ],
      }),
    ],
    metadata: { count: 3 },
  }
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
