import manifest from '../../../package.json' with { type: 'json' }
import { contract } from '../../../contract/index.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Chat } from '../../chat/chat.ts'
import type { OpenedRun } from '../../chat/run-once.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { Database } from '../../db/database.ts'
import type { Files } from '../../files/files.ts'
import type { GatewayContext, GatewayRuns } from '../../gateway/ports.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Log } from '../../kernel/log.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { Config } from '../config.ts'
import { mountOauth } from './mount-oauth.ts'
import { readQuota } from '../../usage/quotas.ts'

/** Below the minute that clients wait at least. */
const HOLD = 50_000
const SWEEP = 3_600_000

/** Reeve as an MCP server, and how its clients get in. Dispose it before the server closes: answers that wait are given then. */
export function mountGateway(
  server: Pick<HttpServer, 'mount'>,
  of: {
    readonly config: Config
    readonly db: Database
    readonly vault: Vault
    readonly accounts: Accounts
    readonly log: Log
    readonly chat: Chat
    readonly tools: Tools
    /** With what is switched off for everyone denied. */
    readonly policy: Pick<Policy, 'forUser'>
    readonly files: Files
    readonly tasks: Tasks
    readonly storage: { suspect(): void }
    /** Milliseconds that an answer waits, instead of the usual (tests). */
    readonly gatewayHold?: number | undefined
  },
): AsyncDisposable {
  const { db, log, chat, tools, policy, files, tasks, storage, gatewayHold: hold = HOLD } = of
  const closing = new AbortController()
  const context: GatewayContext<OpenedRun> = {
    db,
    log: log.child({ part: 'gateway' }),
    runs: gatewayRuns(chat),
    tools,
    policy,
    readFile: (user_id, { file_id }, limit) => files.head(user_id, file_id, limit),
    quota: async (reader, role_id) => {
      const { day, month } = await readQuota(reader, role_id)
      return { day: day.calls ?? null, month: month.calls ?? null }
    },
    onStorageFull: () => storage.suspect(),
    version: manifest.version,
    hold,
    closing: closing.signal,
  }
  server.mount(
    contract.gateway,
    loadedAtFirst(contract.gateway, async () => (await import('../../gateway/gateway.ts')).gatewayRoutes(context)),
  )
  tasks.every('forget calls of clients', SWEEP, async () =>
    (await import('../../gateway/start-call.ts')).forgetOldCalls(context),
  )
  const oauth = mountOauth(server, of)
  return {
    async [Symbol.asyncDispose]() {
      closing.abort()
      await oauth[Symbol.asyncDispose]()
    },
  }
}

function gatewayRuns(chat: Chat): GatewayRuns<OpenedRun> {
  return {
    prepare: (caller, { run_id, message, client, asks }) =>
      chat.prepare(caller, {
        run_id,
        message,
        client,
        asks,
        attachment_ids: [],
        conversation_id: null,
        edits: null,
        engine: undefined,
        idempotency_key: null,
      }),
    begin: ({ run_id, opened }) => chat.runner.start(run_id, opened),
    stop: (run_ids) => chat.stopRuns(run_ids),
  }
}
