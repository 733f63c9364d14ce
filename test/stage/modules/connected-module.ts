import { contract } from '../../../contract/index.ts'
import { decide, say, type Stage } from '../chat-stage.ts'
import type { TestClient } from '../client.ts'
import type { oauthServer } from '../servers/oauth-server.ts'

const { connections, modules } = contract

export const params = { module_name: 'far' }
export type Server = Awaited<ReturnType<typeof oauthServer>>

/** Comes back from the authorization server, and says where that leads. */
export async function comeBack(client: TestClient, back: URL): Promise<string> {
  const query = Object.fromEntries(back.searchParams)
  const response = await client.call(connections.connected, { query })
  return response.headers.get('location') ?? ''
}

/** The module `far`, which is reached by OAuth, through the front door. */
export function connectedModule(app: Stage, admin: TestClient) {
  async function connectForAll(server: Server, account = 'root'): Promise<string> {
    const { url } = await admin.call(connections.connectForAll, { params })
    return comeBack(admin, server.agree(url, account))
  }
  return {
    async add(server: Server, sign_in: 'shared' | 'person'): Promise<void> {
      await admin.call(modules.addRemote, { body: { name: 'far', url: server.url, allow_private: true, sign_in } })
    },
    connectForAll,
    /** Connects it, agrees to its tools and starts it. */
    async start(server: Server): Promise<void> {
      await connectForAll(server)
      await admin.call(modules.enable, { params, body: {} })
    },
    async connectOwn(client: TestClient, server: Server, account: string): Promise<string> {
      const { url } = await client.call(connections.connect, { params })
      return comeBack(client, server.agree(url, account))
    },
    async member(username: string) {
      return app.member(username, [{ subject: 'tool:far.*', effect: 'ask', approvers: [] }])
    },
    /** Calls its tool, and agrees to that where one is asked. */
    async hello(client: TestClient) {
      const first = await say(client, '/far.hello {}')
      const card = first.approvals[0]
      const { result } = card === undefined ? { result: first } : await decide(client, card.approval_id, 'approve')
      return result!.tool_calls_executed[0]!
    },
    shown: async () => (await admin.call(modules.module, { params })).module,
    remove: () => admin.call(modules.uninstall, { params, body: {} }),
  }
}
