import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createServer } from '../../../builtin/system/server.ts'
import { localMachine } from '../../../server/hosts/local/local-machine.ts'
import type { Machine } from '../../../server/modules/machines.ts'
import { type MachineFiles, type RootedMachine, rootedMachine } from './rooted-machine.ts'

interface Answer {
  readonly text: string
  readonly failed: boolean
  rows(title: string): Record<string, unknown>[]
}

interface Structured {
  readonly tables?: readonly { title: string; rows: Record<string, unknown>[] }[]
}

/** The system module over these machines and this one, and a client that names the machine of each call as the service does. */
export async function openMachines(files: Readonly<Record<string, MachineFiles>>) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-machines-'))
  const others: ReadonlyMap<string, RootedMachine> = new Map(
    Object.entries(files).map(([id, machine]) => [id, rootedMachine(id, join(folder, id), machine)]),
  )
  const server = createServer({
    get: (id) => Promise.resolve<Machine | null>(id === 'local' ? localMachine(null) : (others.get(id) ?? null)),
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  await client.connect(ours)

  async function call(host_id: unknown, name: string, input: Record<string, unknown> = {}): Promise<Answer> {
    const _meta = host_id === undefined ? {} : { 'dev.reeve': { host_id } }
    const result = await client.callTool({ name, arguments: input, _meta })
    const { tables = [] } = (result.structuredContent ?? {}) as Structured
    return {
      text: result.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      failed: result.isError === true,
      rows: (title) => tables.find((table) => table.title === title)?.rows ?? [],
    }
  }
  return {
    call,
    /** What `host` says, by property. */
    facts: async (host_id: string): Promise<Record<string, unknown>> =>
      Object.fromEntries(
        (await call(host_id, 'host')).rows('Host').map(({ fact, value }) => [String(fact), value] as const),
      ),
    /** What one of the machines was asked meanwhile: its round trips, were it far away. */
    async questions(host_id: string, ask: () => Promise<unknown>): Promise<string[]> {
      const asked = others.get(host_id)?.asked ?? []
      asked.length = 0
      await ask()
      return [...asked]
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      rmSync(folder, { recursive: true })
    },
  }
}
