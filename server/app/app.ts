import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import manifest from '../../package.json' with { type: 'json' }
import { contract } from '../../contract/index.ts'
import { openAccounts } from '../accounts/accounts.ts'
import { Engines } from '../ai/engines.ts'
import { liveModel } from '../ai/live-model.ts'
import { Activity } from '../chat/history/activity.ts'
import { openCertificates } from '../certificates/certificates.ts'
import { reachableUrl } from '../certificates/reachable-url.ts'
import { mayInRun } from '../chat/approvals/may-in-run.ts'
import { Chat } from '../chat/chat.ts'
import { hasActiveRun } from '../chat/history/active-runs.ts'
import { knownTool } from '../accounts/policy/policy.ts'
import { callsOfTool } from '../chat/history/calls-of-tool.ts'
import { pastArguments, pastCalls } from '../chat/history/past-calls.ts'
import { chatRoutes } from '../chat/routes.ts'
import { switchedPolicy } from '../chat/run/switched-policy.ts'
import { Switches } from '../chat/run/switches.ts'
import type { Config } from './config.ts'
import type { Database } from '../db/database.ts'
import { createModuleFiles } from '../files/files-for-modules.ts'
import { MachineEye } from '../dashboard/machine-state.ts'
import { openFiles } from '../files/open-files.ts'
import { openServer } from '../http/server.ts'
import { type Log, openLog } from '../kernel/log.ts'
import { Tasks } from '../kernel/tasks.ts'
import type { BuiltinModule } from '../modules/spec/builtin-module.ts'
import { openCatalogue } from '../modules/catalogue/catalogue.ts'
import { withHosts } from '../hosts/host-argument.ts'
import { endedOperations } from './ended-operations.ts'
import { KnownHosts } from '../hosts/host-list.ts'
import { localMachines } from '../hosts/local/local-machines.ts'
import { toolNames } from '../modules/catalogue/store/tool-names.ts'
import { auditedUses } from './audited-uses.ts'
import { builtinModules } from './builtin-modules.ts'
import { moduleRulesPort } from './module-rules-port.ts'
import { eraseWith } from './erase-with.ts'
import { mountAdministration } from './mount/mount-administration.ts'
import { mountFeatures, type Unattended } from './mount/mount-features.ts'
import { mountGateway } from './mount/mount-gateway.ts'
import { openHostsAtFirst } from './mount/mount-hosts.ts'
import { openNotifying } from './mount/mount-notifications.ts'
import { explainedBy, proceduresPort } from './mount/mount-procedures.ts'
import { mountOperation } from './mount/mount-operation.ts'
import { mountReceipts } from './mount/mount-receipts.ts'
import { openUnattended } from './mount/mount-unattended.ts'
import { openObjects } from './open-objects.ts'
import { openChildren } from './open-children.ts'
import { openDatabase } from './open-database.ts'
import { openModuleHost } from './open-module-host.ts'
import { measuredModel, measuredTools } from '../operation/metrics/measured-ports.ts'
import { Metrics } from '../operation/metrics/metrics.ts'
import { createSharedLimit } from '../operation/shared-limit.ts'
import { pageRoutes } from './page-routes.ts'
import { startTasks } from './start-tasks.ts'
import type { OpenedRoutines } from '../routines/open-routines.ts'
import { openCheckedVault } from '../operation/key-check.ts'
import { openMachine, type Machine } from '../sandbox/machine.ts'
import { openTables } from '../tables/tables.ts'
import { watchStorage } from './watch-storage.ts'
import { toolSecrets } from './tool-secrets.ts'
import { sharedAuthority } from './shared-authority.ts'
import { tellIsolation } from './tell-isolation.ts'
import { tellOfModules } from './tell-module-change.ts'
import { createUsage } from '../usage/usage.ts'

export interface App extends AsyncDisposable {
  /** The address it listens on, `http://127.0.0.1:8080`. */
  readonly url: string
  /** The one-time link that creates the first administrator; null once there is one. */
  readonly setupLink: string | null
  readonly chat: Chat
  readonly db: Database
  readonly unattended: Unattended & Pick<OpenedRoutines, 'tick' | 'prune'>
  /** Not ready from now on, though everything is still served; resolves after `REEVE_DRAIN`. */
  drain(): Promise<void>
}

export interface AppOptions {
  readonly log?: Log
  /** Additional built-in modules (tests). */
  readonly builtins?: readonly BuiltinModule[] | undefined
  /** What this machine offers for isolation; found out when left out (tests share one, or have one without it). */
  readonly machine?: Machine | undefined
  /** Called with every database statement before it runs (fault tests). */
  readonly observe?: (sql: string) => void
  /** The time that routines go by; whoever gives it also looks for what is due (tests). */
  readonly clock?: () => number
  /** Milliseconds that an answer to an MCP client waits (tests). */
  readonly gatewayHold?: number | undefined
}

const WEB_ROOT = join(import.meta.dirname, '../../dist/web')
const SDK_FILE = join(import.meta.dirname, '../../dist/sdk/Service-Module-AI-SDK-v1.zip')
const BUILTINS = join(import.meta.dirname, '../../builtin')

/**
 * The composition root: builds every part in order, fills every port with the part that implements it, and closes in
 * reverse. No other file knows more than its own folder.
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = options.log ?? openLog(config.logLevel)
  await using opened = new AsyncDisposableStack()
  const failed = (what: string) => (error: unknown) => log.error({ err: error }, what)

  const metrics = opened.use(new Metrics())
  const { db, processes } = await openDatabase(config, { opened, log, metrics, observe: options.observe })
  const vault = await openCheckedVault(db, config)
  const moduleLog = log.child({ part: 'modules' })
  const moduleFolder = join(config.dataFolder, 'modules')
  const machine = options.machine ?? openMachine({ node: process.execPath })
  const { commands, sandbox } = await openChildren(config, { opened, log: moduleLog, machine, folder: moduleFolder })
  const hosted = await openModuleHost(config, { db, vault, log: moduleLog, folder: moduleFolder, me: processes.id })
  const host = opened.use(hosted.host)
  const local = localMachines(commands)
  const known = opened.use(await KnownHosts.open(db))
  const notifications = opened.use(
    await openNotifying({ db, vault, log, address: () => url, activity: () => activity }),
  )
  const activity: Activity = new Activity(db, notifications.cardWaits)
  const tables = opened.use(openTables({ folder: join(config.dataFolder, 'tables-cache'), machine }))
  const objects = await openObjects(config, db)
  const storedFiles = opened.use(
    await openFiles({
      database: db,
      folder: config.dataFolder,
      ...config.files,
      store: objects.files,
      isHeld: objects.isHeld,
      machine,
      tables,
      onCreated: (trx, { user_id, file_id, name, run_id }) =>
        activity.append(trx, user_id, [{ type: 'file.created', run_id, data: { file_id, name } }]),
      onRemoved: (stored_as) => tables.forget(stored_as),
      derived: () => tables.keys(),
      onTableSeen: () => tables.warm(),
    }),
  )
  const { files } = storedFiles
  const accounts = await openAccounts({
    db,
    vault,
    log: log.child({ part: 'accounts' }),
    firstAdmin: config.firstAdmin,
    openid: config.openid,
    keepAudit: config.keepAudit,
    findTool: (module, name) => knownTool(host.find(module, name)),
    procedure: explainedBy(db, () => known),
    hosts: () => known.read(),
    toolNames: (module) => toolNames(catalogue.context, module),
    toolTitle: (module, title, language) => catalogue.tools.wording(module, language).text(title),
    pastCalls: (...about) => pastCalls(db.read, ...about),
    pastArguments: (ids) => pastArguments(db.read, ids),
    callsOfTool: (about) => callsOfTool(db.read, about),
    hasActiveRun,
    tellElevation: (trx, user_ids) => activity.appendForEach(trx, user_ids, { type: 'elevation.changed' }),
    eraseUser: eraseWith(db, files, () => chat.bin),
  })
  // Nothing records any more once this runs; what cannot be chained now is chained by the next start.
  opened.defer(() => accounts.audit.chain().then(() => undefined, failed('the audit log was not chained')))
  const storage = watchStorage(config, { db, log, caches: [tables, storedFiles] })
  const moduleFiles = createModuleFiles({
    files,
    database: db,
    mayInRun: (run_id, permission) => mayInRun(db, accounts.policy, run_id, permission),
  })
  const spawn: Tasks['spawn'] = (name, work) => tasks.spawn(name, work)
  const switches = opened.use(await Switches.open(db))
  const policy = switchedPolicy(accounts.policy, switches)
  const hosts = opened.use(
    openHostsAtFirst({ db, vault, activity, accounts, policy, tools: host, spawn, local, known }),
  )
  const catalogue = opened.use(
    await openCatalogue({
      db,
      vault,
      log: moduleLog,
      ...hosted,
      sandbox,
      dataFolder: config.dataFolder,
      folder: moduleFolder,
      packages: objects.packages,
      builtins: [
        ...builtinModules({ machines: hosts.machines, files: moduleFiles, tables, dataFolder: config.dataFolder }),
        ...(options.builtins ?? []),
      ],
      builtinFolder: BUILTINS,
      sdkFile: SDK_FILE,
      audit: accounts.audit,
      rules: moduleRulesPort(accounts),
      ...tellOfModules(db, activity, notifications),
      reeveVersion: manifest.version,
    }),
  )
  const { ai: environment, titles } = config
  const enginesOf = { db, vault, environment, titles, audit: accounts.audit }
  const engines = opened.use(await Engines.open({ ...enginesOf, onError: failed('the AI engines were not read') }))
  const model = measuredModel(liveModel(engines, host), metrics)
  const usage = createUsage()
  const procedures = proceduresPort(known)
  const tasks = opened.use(new Tasks((error, name) => log.error({ err: error, task: name }, 'background task failed')))
  const tools = measuredTools(withHosts(catalogue.tools, known), metrics)
  const secrets = toolSecrets(vault, (module) => catalogue.secretsFor(module))
  const chat = opened.use(
    new Chat({
      db,
      activity,
      ports: {
        model,
        tools,
        procedures,
        hosts: known,
        operations: endedOperations(hosts.machines),
        endedCommand: (tool_call_id) => commands.ended(tool_call_id),
        secrets,
        policy: accounts.policy,
        senders: accounts.senders,
        attachments: storedFiles.attachments,
        audit: accounts.audit,
        usage,
      },
      switches,
      processes,
      offers: catalogue.offers,
      log: log.child({ part: 'chat' }),
      purgeFiles: (user_id, file_ids, run_ids) => files.purge(user_id, file_ids, run_ids),
      tasks,
    }),
  )
  const planned = { db, vault, log, activity, accounts, policy, chat, procedures, tools, secrets, hosts, known }
  const reportEnded: Unattended['reportEnded'] = (...ended) => unattended.reportEnded(...ended)
  const routines = opened.use(await openUnattended({ ...planned, notifications, reportEnded, clock: options.clock }))
  const certificates = await openCertificates({
    tls: config.tls,
    dataFolder: config.dataFolder,
    shared: db.dialect.name === 'postgres' ? sharedAuthority(db, vault) : null,
    log: log.child({ part: 'certificates' }),
  })
  const server = opened.use(
    await openServer({
      log: log.child({ part: 'http' }),
      publicUrl: config.publicUrl,
      trustProxy: config.trustProxy,
      host: config.host,
      port: config.port,
      ...(certificates.pair && { tls: { ...certificates.pair, local: config.tls.mode === 'local' } }),
      webRoot: WEB_ROOT,
      checkAnswers: config.checkAnswers,
      gate: accounts.gate,
      // The role says which machines there are for a caller.
      revisionOf: async (caller) =>
        `${manifest.version}-${caller.role_id}.${caller.role_revision}-${await chat.revision(caller)}`,
      onAnswer: (...answer) => metrics.request(...answer),
      sharedLimit: createSharedLimit(db),
      onStorageFull: () => storage.suspect(),
    }),
  )
  server.mount(contract.accounts, accounts.handlers)
  const audited = auditedUses({ db, audit: accounts.audit, log })
  server.mount(contract.chat, audited.chat(chatRoutes(db, chat)))
  server.mount(contract.files, audited.files(storedFiles.handlers, files))
  const used = { db, activity, accounts, certificates, catalogue, files, notifications }
  const { tick, prune } = routines
  const unattended = { tick, prune, ...mountFeatures(server, { ...used, model, tables, tasks, usage, audited }) }
  const parts = { config, db, vault, catalogue, storage }
  const eye = new MachineEye(config.dataFolder)
  mountAdministration(server, { ...parts, eye, accounts, engines, model, chat, switches, tasks, certificates, machine })
  server.mount(contract.pages, pageRoutes)
  let draining = false
  const operated = { processes, accounts, tables, metrics, store: objects.files, log }
  mountOperation(server, { ...parts, ...operated, draining: () => draining })
  opened.use(mountGateway(server, { ...options, ...parts, ...operated, chat, tools, policy, files, tasks }))
  hosts.mount(server)
  notifications.start(server, accounts, tasks)
  opened.use(routines.start(server, { eye, certificates, tasks }))
  const receipts = mountReceipts(server, { db, vault, accounts, config, log, address: () => url })

  const { port } = await server.listen()
  const own = reachableUrl(certificates.source === null ? 'http' : 'https', config.host, port)
  await processes.listensOn(own)
  const url = config.publicUrl ?? own
  const setupLink = accounts.setupToken === null ? null : new URL(`/setup?token=${accounts.setupToken}`, url).href
  // Everything that can wait until users may already sign in.
  const swept = { ...parts, accounts, objects, storedFiles, certificates }
  startTasks(tasks, { ...swept, server, eye, receipts, hosts, notifications, routines })
  chat.due.begin()
  tasks.spawn('find out what isolates', () => tellIsolation(sandbox, config.dataFolder))
  tasks.spawn('start modules', () => catalogue.tools.ready().then(() => model.warmUp()))
  // Requests wait for their runs, and the server waits for its requests, so runs are told to stop first.
  opened.defer(() => chat.stop())
  opened.defer(() => processes.stopping())
  const closing = opened.move()
  const drain = async (): Promise<void> => {
    draining = true
    server.drain()
    await delay(config.drain)
  }
  return { url, setupLink, chat, db, unattended, drain, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}
