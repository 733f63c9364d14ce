import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { contract } from '../../../contract/index.ts'
import type { ChatResult, Message } from '../../../contract/chat.ts'
import { lastAnswer, openStage, partsOf, say, type Stage } from '../chat-stage.ts'
import type { TestClient } from '../client.ts'
import type { TestDatabase } from '../servers/postgres.ts'
import { type SshServer, startSshServer } from '../servers/ssh-server.ts'

const { addHost, listHosts, pinHost, removeHost, sshKeys, updateHost } = contract.hosts

/** The service with an administrator, and sshd on this machine, under as many names as a test likes. */
export interface FleetStage extends AsyncDisposable {
  readonly stage: Stage
  readonly admin: TestClient
  readonly server: SshServer
  /** Adds a machine and pins its key; gives its id. `port`: of another server than the stage's. */
  add(name: string, tags?: readonly string[], more?: { port?: number; host_key?: string }): Promise<string>
  update(host_id: string, body: object): Promise<void>
  /** Removes all machines but the local one. */
  clear(): Promise<void>
}

export async function openFleet(database: TestDatabase): Promise<FleetStage> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'reeve-fleet-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const authorized = join(folder, 'authorized')
  const server = opened.use(await startSshServer({ config: `AuthorizedKeysFile ${authorized}` }))
  const stage = opened.use(await openStage(database, { engine: false }))
  const admin = await stage.as('admin')
  const { items } = await admin.call(sshKeys)
  writeFileSync(authorized, items.map(({ public_key }) => `${public_key}\n`).join(''), { mode: 0o600 })
  const closing = opened.move()
  return {
    stage,
    admin,
    server,
    async add(name, tags = [], { port = server.port, host_key = server.hostKeys.ed25519 } = {}) {
      const body = { name, address: '127.0.0.1', port, account: userInfo().username, tags: [...tags] }
      const { host_id } = (await admin.call(addHost, { body })).host
      await admin.call(pinHost, { params: { host_id }, body: { host_key: `ssh-ed25519 ${host_key}` } })
      return host_id
    },
    update: async (host_id, body) => void (await admin.call(updateHost, { params: { host_id }, body })),
    async clear() {
      for (const { host_id } of (await admin.call(listHosts)).items)
        if (host_id !== 'local') await admin.call(removeHost, { params: { host_id } })
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Runs a command typed by hand, and gives the result with the call and the tables of the answer. */
export async function typed(client: TestClient, text: string, more: { conversation_id?: string } = {}) {
  const result: ChatResult = await say(client, text, more)
  const answer: Message = await lastAnswer(client, result.conversation_id)
  return {
    result,
    answer: partsOf(answer, 'text')
      .map((part) => part.text)
      .join('\n'),
    call: partsOf(answer, 'tool_call')[0]?.tool_call,
    tables: partsOf(answer, 'table').map(({ table }) => table),
  }
}
