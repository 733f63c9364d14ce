import { contract } from '../../contract/index.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Activity } from '../chat/history/activity.ts'
import type { Database } from '../db/database.ts'
import type { HostChecks } from '../hosts/host-checks.ts'
import type { HttpServer } from '../http/server.ts'
import { loadedAtFirst } from '../kernel/loaded-at-first.ts'
import type { Tasks } from '../kernel/tasks.ts'
import type { Vault } from '../kernel/vault.ts'
import { LOCAL_MACHINE, type Machines } from '../modules/machines.ts'
import { tellHostChange } from './tell-host-change.ts'

interface Of {
  readonly db: Database
  readonly vault: Vault
  readonly activity: Activity
  readonly accounts: Pick<Accounts, 'audit'>
  readonly tasks: Tasks
  /** The machine that Reeve runs on. */
  readonly local: Machines
}

/** Machines, as long as the service runs. */
export interface MountedHosts extends AsyncDisposable {
  /** Looks at those whose state is old, if somebody may see it. */
  look(signal: AbortSignal): Promise<void>
}

/** Mounts machines. What connects to them is loaded with the first request about them. */
export function mountHosts(server: Pick<HttpServer, 'mount' | 'openStreams'>, of: Of): MountedHosts {
  let opened: ReturnType<typeof openHosts> | null = null
  const open = () => (opened ??= openHosts(of))
  server.mount(
    contract.hosts,
    loadedAtFirst(contract.hosts, async () => (await open()).handlers),
  )
  return {
    look: async (signal) => {
      if (server.openStreams() > 0) await (await open()).checks.sweep(signal)
    },
    [Symbol.asyncDispose]: async () => await (await opened)?.[Symbol.asyncDispose](),
  }
}

async function openHosts({ db, vault, activity, accounts: { audit }, tasks, local }: Of) {
  const [{ Hosts }, { toFacts }, { HostChecks }, { SshKeys }, { hostRoutes }, { openConnections }] = await Promise.all([
    import('../hosts/hosts.ts'),
    import('../hosts/host-facts.ts'),
    import('../hosts/host-checks.ts'),
    import('../hosts/ssh-keys.ts'),
    import('../hosts/routes.ts'),
    import('../hosts/ssh/connections.ts'),
  ])
  const onChanged = tellHostChange(activity)
  const keys = new SshKeys({ db, vault, audit })
  const connections = openConnections({ keys: () => keys.open() })
  const hosts = new Hosts({
    db,
    audit,
    onChanged,
    ownFacts: async () => toFacts(await (await local.get(LOCAL_MACHINE))!.facts(new AbortController().signal)),
    forget: (host_id) => connections.forget(host_id),
  })
  const checks: HostChecks = new HostChecks({ db, audit, connections, onChanged })
  const lookSoon = (): void => tasks.spawn('look at machines', (signal) => checks.sweep(signal))
  return {
    checks,
    handlers: hostRoutes({ hosts, checks, keys, lookSoon }),
    async [Symbol.asyncDispose]() {
      checks[Symbol.dispose]()
      await connections[Symbol.asyncDispose]()
    },
  }
}
