import os from 'node:os'
import { z } from 'zod'
import { tool } from '../../tool.ts'
import { readInterfaces } from '../linux/interfaces.ts'
import { readProcess } from '../linux/process-table.ts'
import { requireLinux } from '../linux/proc.ts'
import { readDefaultRoutes, readNameServers } from '../linux/routes.ts'
import { readListeningSockets, readSocketOwners } from '../linux/sockets.ts'
import { readUserNames } from '../linux/users.ts'

/** Lists interfaces, routes, name servers and listening sockets. */
export const networkTool = tool({
  name: 'network',
  title: 'Network',
  description:
    'Network interfaces with addresses, state and traffic counters since boot, default routes, name servers, and every listening TCP or bound UDP port ' +
    'with its process where that can be seen. Use it for "which ports are open" and "what is my address". It sends nothing over the network.',
  effect: 'read',
  input: z.strictObject({ port: z.int().min(1).max(65_535).optional().describe('Only sockets on this port') }),
  async run({ port }, { signal }) {
    requireLinux('Network figures')
    const sockets = readListeningSockets().filter((socket) => port === undefined || socket.port === port)
    const owners = await readSocketOwners(new Set(sockets.map((socket) => socket.inode)), signal)
    const users = readUserNames()
    const listening = sockets
      .map(({ protocol, address, port: number, uid, inode }) => {
        const pid = owners.get(inode) ?? null
        const command = pid === null ? null : (readProcess(pid)?.command ?? null)
        return { protocol, address, port: number, pid, user: users.get(uid) ?? String(uid), command }
      })
      .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
    const hidden = listening.filter((socket) => socket.pid === null).length
    return {
      text: [
        `Host ${os.hostname()}. Default route: ${readDefaultRoutes().join(', ') || 'none'}. Name servers: ${readNameServers().join(', ') || 'none'}.`,
        hidden === 0 ? '' : `Sockets whose process this service's user cannot see: ${hidden}.`,
      ]
        .filter((text) => text !== '')
        .join(' '),
      tables: [
        {
          title: 'Interfaces',
          columns: [
            { key: 'name', label: 'Interface', type: 'text' },
            { key: 'state', label: 'State', type: 'text' },
            { key: 'addresses', label: 'Addresses', type: 'text' },
            { key: 'mac', label: 'MAC', type: 'text' },
            { key: 'mtu', label: 'MTU', type: 'integer' },
            { key: 'received', label: 'Received', type: 'bytes' },
            { key: 'sent', label: 'Sent', type: 'bytes' },
            { key: 'errors', label: 'Errors', type: 'integer' },
            { key: 'dropped', label: 'Dropped', type: 'integer' },
          ],
          rows: readInterfaces(),
        },
        {
          title: 'Listening sockets',
          columns: [
            { key: 'protocol', label: 'Protocol', type: 'text' },
            { key: 'address', label: 'Address', type: 'text' },
            { key: 'port', label: 'Port', type: 'integer' },
            { key: 'pid', label: 'Process', type: 'integer' },
            { key: 'user', label: 'User', type: 'text' },
            { key: 'command', label: 'Command', type: 'text' },
          ],
          rows: listening.slice(0, 1000),
          total_rows: listening.length,
        },
      ],
    }
  },
})
