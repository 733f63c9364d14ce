import { z } from 'zod'
import type { Machine } from '../../../server/modules/machines.ts'
import { INTERFACE_FILES, INTERFACES, parseInterfaces } from '../linux/interfaces.ts'
import { readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { parseProcess, PROCESSES } from '../linux/process-table.ts'
import { parseDefaultRoutes, parseNameServers } from '../linux/routes.ts'
import { OPEN_FILES, parseListeningSockets, parseSocketOwners, SOCKET_FILES } from '../linux/sockets.ts'
import { parseUserNames } from '../linux/users.ts'
import { machineTool } from '../machine-tool.ts'

const COUNTERS = '/proc/net/dev'
const ROUTES = '/proc/net/route'
const ROUTES_V6 = '/proc/net/ipv6_route'
const RESOLVER = '/etc/resolv.conf'
const ACCOUNTS = '/etc/passwd'
const HOST_NAME = '/proc/sys/kernel/hostname'
const FILES = [...SOCKET_FILES, COUNTERS, ROUTES, ROUTES_V6, RESOLVER, ACCOUNTS, HOST_NAME]
const SHOWN = 1000

/** Lists interfaces, routes, name servers and listening sockets. */
export const networkTool = machineTool({
  name: 'network',
  title: 'Network',
  description:
    'Network interfaces with addresses, state and traffic counters since boot, default routes, name servers, and every listening TCP or bound UDP port ' +
    'with its process where that can be seen. Use it for "which ports are open" and "what is my address". It sends nothing over the network.',
  effect: 'read',
  input: z.strictObject({ port: z.int().min(1).max(65_535).optional().describe('Only sockets on this port') }),
  async run({ port }, { machine, signal }) {
    const { host_name } = await requireLinux(machine, 'Network figures', signal)
    const [{ text, trimmed }, directories, addresses] = await Promise.all([
      readTexts(machine, FILES, signal),
      machine.readEach(INTERFACES, INTERFACE_FILES, signal),
      machine.addresses(signal),
    ])
    const sockets = parseListeningSockets(text).filter((socket) => port === undefined || socket.port === port)
    const inodes = new Set(sockets.map((socket) => socket.inode))
    const owners =
      sockets.length === 0
        ? new Map<string, number>()
        : parseSocketOwners(await machine.readEach(PROCESSES, OPEN_FILES, signal), inodes)
    const users = parseUserNames(text(ACCOUNTS))
    const listening = sockets
      .map(({ protocol, address, port: number, uid, inode }) => {
        const pid = owners.get(inode) ?? null
        return { protocol, address, port: number, pid, user: users.get(uid) ?? String(uid) }
      })
      .sort((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
    const shown = listening.slice(0, SHOWN)
    const commands = await readCommands(machine, new Set(shown.flatMap(({ pid }) => pid ?? [])), signal)
    const hidden = listening.filter((socket) => socket.pid === null).length
    return {
      text: [
        `Host ${trimmed(HOST_NAME) || host_name}. Default route: ${parseDefaultRoutes(text(ROUTES), text(ROUTES_V6)).join(', ') || 'none'}. Name servers: ${parseNameServers(text(RESOLVER)).join(', ') || 'none'}.`,
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
          rows: parseInterfaces(text(COUNTERS), directories, addresses),
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
          rows: shown.map((socket) => ({ ...socket, command: commands.get(socket.pid ?? 0) ?? null })),
          total_rows: listening.length,
        },
      ],
    }
  },
})

/** What the processes run, by their numbers; without those that have ended meanwhile. */
async function readCommands(
  machine: Machine,
  pids: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<Map<number, string>> {
  if (pids.size === 0) return new Map()
  const file = (pid: number, name: string) => `${PROCESSES}/${pid}/${name}`
  const paths = [...pids].flatMap((pid) => [file(pid, 'stat'), file(pid, 'cmdline')])
  const { text } = await readTexts(machine, paths, signal, 4096)
  return new Map(
    [...pids].flatMap((pid): [number, string][] => {
      const files = { stat: text(file(pid, 'stat')) ?? '', cmdline: text(file(pid, 'cmdline')) ?? '' }
      const entry = parseProcess({ name: String(pid), files }, 0)
      return entry === null ? [] : [[pid, entry.command]]
    }),
  )
}
