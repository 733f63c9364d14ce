/**
 * The gateway for the MCP conformance suite: the real service, and before it a door that adds an access token to what goes
 * to the gateway, because the suite has none. Says the address of the door in its first line; ends with its standard input.
 */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestApp } from '../stage/app.ts'
import { clientToken } from '../stage/gateway/mcp-client.ts'
import { freePort } from '../stage/servers/free-port.ts'

const port = await freePort()
let bearer = {}
const door = createServer((incoming, answer) => {
  const headers = { ...incoming.headers, ...(incoming.url?.startsWith('/mcp') && bearer) }
  const onward = request({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers }, (inner) => {
    answer.writeHead(inner.statusCode ?? 502, inner.headers)
    inner.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  incoming.pipe(onward)
})
await once(door.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
{
  await using service = await startTestApp({ env: { REEVE_PUBLIC_URL: url, REEVE_PORT: String(port) } })
  const { token } = await clientToken(await service.as('admin'), ['tool:system.*'])
  bearer = { authorization: `Bearer ${token}` }
  process.stdout.write(`${url}/mcp\n`)
  for await (const _ of process.stdin);
}
door.close()
door.closeAllConnections()
