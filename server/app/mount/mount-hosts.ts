import { contract } from '../../../contract/index.ts'
import type { HostSummary } from '../../../contract/host-figures.ts'
import { MACHINE_MODULE } from '../../../contract/host-values.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { KnownHosts } from '../../hosts/host-list.ts'
import type { HostChecks } from '../../hosts/host-checks.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Vault } from '../../kernel/vault.ts'
import { LOCAL_MACHINE, type Machine, type Machines } from '../../modules/machines.ts'
import { tellHostChange } from '../tell-host-change.ts'

interface Of {
  readonly db: Database
  readonly vault: Vault
  readonly activity: Activity
  readonly accounts: Pick<Accounts, 'audit' | 'mayUseHosts'>
  /** With what is switched off for everyone denied. */
  readonly policy: Pick<Policy, 'forUser'>
  /** Those of modules that run. */
  readonly tools: Pick<Tools, 'find'>
  readonly spawn: Tasks['spawn']
  /** The machine that Reeve runs on. */
  readonly local: Machines
  readonly known: KnownHosts
}

/** Machines, as long as the service runs. */
export interface OpenedHosts extends AsyncDisposable {
  /** All of them, for tools. */
  readonly machines: Machines
  mount(server: Pick<HttpServer, 'mount' | 'openStreams'>): void
  /** Figures of these machines, asked now unless they were a moment ago. */
  figures(host_ids: readonly string[], signal: AbortSignal): Promise<HostSummary[]>
  /** Looks at those whose state is old, if somebody may see it. */
  look(signal: AbortSignal): Promise<void>
}

/** Machines. What connects to them is loaded with the first request, or call, about them. */
export function openHostsAtFirst(of: Of): OpenedHosts {
  let opened: ReturnType<typeof openHosts> | null = null
  let openStreams = () => 0
  const open = () => (opened ??= openHosts(of))
  return {
    machines: {
      get: async (host_id) => (host_id === LOCAL_MACHINE ? of.local.get(host_id) : (await open()).machineOf(host_id)),
    },
    mount(server) {
      openStreams = () => server.openStreams()
      server.mount(
        contract.hosts,
        loadedAtFirst(contract.hosts, async () => (await open()).handlers),
      )
      server.mount(
        contract.hostFigures,
        loadedAtFirst(contract.hostFigures, async () => (await open()).figureHandlers),
      )
      server.mount(
        contract.hostJournal,
        loadedAtFirst(contract.hostJournal, async () => (await open()).journalHandlers),
      )
    },
    figures: async (host_ids, signal) => (await open()).figures.now(host_ids, signal),
    look: async (signal) => {
      if (openStreams() > 0) await (await open()).checks.sweep(signal)
    },
    [Symbol.asyncDispose]: async () => await (await opened)?.[Symbol.asyncDispose](),
  }
}

async function openHosts({ db, vault, activity, accounts, policy, tools, spawn, local, known }: Of) {
  const { audit } = accounts
  const [
    { Hosts },
    { toFacts },
    { HostChecks },
    { SshKeys },
    { hostRoutes },
    { openConnections },
    { readHosts },
    { openTarget },
    { HostFigures },
    { JournalFollows },
    { journalRoutes },
  ] = await Promise.all([
    import('../../hosts/hosts.ts'),
    import('../../hosts/host-facts.ts'),
    import('../../hosts/host-checks.ts'),
    import('../../hosts/ssh-keys.ts'),
    import('../../hosts/routes.ts'),
    import('../../hosts/ssh/connections.ts'),
    import('../../hosts/host-rows.ts'),
    import('../../hosts/targets.ts'),
    import('../../hosts/figures/host-figures.ts'),
    import('../../hosts/journal/journal-follows.ts'),
    import('../../hosts/journal/journal-routes.ts'),
  ])
  const tell = tellHostChange(activity)
  const onChanged = async (trx: Trx, host_id: string | null): Promise<void> => {
    known.changed(trx)
    await tell(trx, host_id)
  }
  const keys = new SshKeys({ db, vault, audit })
  const connections = openConnections({ keys: () => keys.open() })
  const hosts = new Hosts({
    db,
    audit,
    onChanged,
    mayUse: (caller) => accounts.mayUseHosts(caller),
    changed: () => known.read(),
    ownFacts: async () => toFacts(await (await local.get(LOCAL_MACHINE))!.facts(new AbortController().signal)),
    forget: (host_id) => connections.forget(host_id),
  })
  const checks: HostChecks = new HostChecks({ db, audit, connections, onChanged })
  const lookSoon = (): void => spawn('look at machines', (signal) => checks.sweep(signal))
  const machineOf = async (host_id: string): Promise<Machine | null> => {
    const target = openTarget(await readHosts(db.read), host_id)
    return target === null ? null : connections.machineOf(target)
  }
  const figures = new HostFigures({
    db,
    mayUse: (caller) => accounts.mayUseHosts(caller),
    machineOf: async ({ host_id }, all) => {
      if (host_id === LOCAL_MACHINE) return local.get(host_id)
      const target = openTarget(all, host_id)
      return target === null ? null : connections.machineOf(target, { background: true })
    },
    spawn: (work) => spawn('figures of machines', work),
  })
  const follows = new JournalFollows({
    db,
    audit,
    policy,
    hosts: known,
    logs: () => tools.find(MACHINE_MODULE, 'logs'),
    tell: (trx, user_id, type, data) => activity.append(trx, user_id, [{ type, data }]),
    machineOf: (host_id) => (host_id === LOCAL_MACHINE ? local.get(host_id) : machineOf(host_id)),
  })
  return {
    checks,
    machineOf,
    figures,
    handlers: hostRoutes({ hosts, checks, keys, lookSoon }),
    figureHandlers: { hostFigures: async ({ caller }: { caller: Caller }) => ({ items: await figures.list(caller) }) },
    journalHandlers: journalRoutes(follows),
    async [Symbol.asyncDispose]() {
      await follows[Symbol.asyncDispose]()
      checks[Symbol.dispose]()
      await connections[Symbol.asyncDispose]()
    },
  }
}
