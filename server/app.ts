import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { contract } from '../contract/index.ts'
import { filesModule } from '../builtin/files/module.ts'
import { httpModule } from '../builtin/http/module.ts'
import { sqlModule } from '../builtin/sql/module.ts'
import { systemModule } from '../builtin/system/module.ts'
import { tablesModule } from '../builtin/tables/module.ts'
import { aboutRoutes } from './about.ts'
import { openAccounts } from './accounts/accounts.ts'
import { administrators } from './accounts/administrators.ts'
import { EngineSettings } from './ai/engine-settings.ts'
import { liveModel } from './ai/live-model.ts'
import { Activity } from './chat/activity.ts'
import { certificateRoutes } from './certificates/routes.ts'
import { openCertificates } from './certificates/certificates.ts'
import { reachableUrl } from './certificates/reachable-url.ts'
import { Chat } from './chat/chat.ts'
import { pastCalls } from './chat/past-calls.ts'
import { chatRoutes } from './chat/routes.ts'
import { Switches } from './chat/switches.ts'
import { commandRoutes } from './commands/routes.ts'
import type { Config } from './config.ts'
import { Database, type Trx } from './db/database.ts'
import { lockFolder } from './db/folder-lock.ts'
import type { ByteStore } from './files/byte-store.ts'
import { openFolderStore } from './files/folder-store.ts'
import { createModuleFiles } from './files/module-files.ts'
import { openFiles } from './files/open-files.ts'
import { openS3Store } from './files/s3/s3-store.ts'
import { createTableFiles } from './files/table-files.ts'
import { openServer } from './http/server.ts'
import { type Log, openLog } from './kernel/log.ts'
import { Tasks } from './kernel/tasks.ts'
import { loadOrCreateKey, openVault } from './kernel/vault.ts'
import type { BuiltinModule } from './modules/builtin-module.ts'
import { openCatalogue } from './modules/catalogue/catalogue.ts'
import { PACKAGE_ID } from './modules/catalogue/package-store.ts'
import { moduleRoutes } from './modules/catalogue/routes.ts'
import { openHost } from './modules/host.ts'
import { openSandbox } from './modules/process/sandbox.ts'
import { mountAdministration } from './mount-administration.ts'
import { mountOperation } from './mount-operation.ts'
import { measuredModel, measuredTools } from './operation/measured-ports.ts'
import { Metrics } from './operation/metrics.ts'
import { createRetention } from './operation/retention.ts'
import { pageRoutes } from './page-routes.ts'
import { areBytesHeld, heldStore } from './operation/backup-hold.ts'
import { finishSwap } from './operation/folder-swap.ts'
import { createTableLabels } from './tables/labels/table-labels.ts'
import { tableRoutes } from './tables/routes.ts'
import { openTables } from './tables/tables.ts'
import { engineMeter } from './usage/engine-meter.ts'
import { createUsage } from './usage/usage.ts'

export interface App extends AsyncDisposable {
  /** Where it listens, `http://127.0.0.1:8080`. */
  readonly url: string
  /** The one-time link that creates the first administrator; null once there is one. */
  readonly setupLink: string | null
  readonly chat: Chat
  readonly db: Database
}

export interface AppOptions {
  readonly log?: Log
  /** Further built-in modules (tests). */
  readonly builtins?: readonly BuiltinModule[] | undefined
  /** Path of the program bubblewrap (tests: of none). */
  readonly bwrap?: string
  /** Sees every database statement before it runs (fault tests). */
  readonly observe?: (sql: string) => void
}

const WEB_ROOT = new URL('../dist/web', import.meta.url).pathname
const SDK_FILE = new URL('../dist/sdk/Service-Module-AI-SDK-v1.zip', import.meta.url).pathname
const BUILD_FILE = new URL('../dist/build.json', import.meta.url)
const BUILTINS = new URL('../builtin', import.meta.url).pathname
const SWEEP = 10 * 60_000
const RETENTION = 3_600_000

/**
 * The composition root: builds every part in order, fills every port with the part that implements it, and closes in
 * reverse. Nothing else knows more than its own folder.
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const log = options.log ?? openLog(config.logLevel)
  await using opened = new AsyncDisposableStack()
  const failed = (what: string) => (error: unknown) => log.error({ err: error }, what)

  if (config.databaseUrl === null) opened.use(lockFolder(config.dataFolder))
  // A restore that was killed at its very end is finished before anything is opened.
  await finishSwap(config.dataFolder)
  const metrics = opened.use(new Metrics())
  const db = opened.use(
    await Database.open({
      url: config.databaseUrl,
      folder: config.dataFolder,
      onError: failed('database connection'),
      observe: options.observe,
      onStatement: (ms) => metrics.statement(ms),
    }),
  )
  if (db.applied.length > 0) log.info({ applied: db.applied, backup: db.backup }, 'migrated')
  const vault = openVault(loadOrCreateKey(config.dataFolder, config.secretKey))
  const moduleLog = log.child({ part: 'modules' })
  const moduleFolder = join(config.dataFolder, 'modules')
  const sandbox = opened.use(
    await openSandbox({
      log: moduleLog,
      node: process.execPath,
      pids: join(moduleFolder, 'processes'),
      bwrap: options.bwrap,
      hidden: [config.dataFolder],
    }),
  )
  const host = opened.use(openHost({ log: moduleLog }))
  const activity = new Activity(db)
  const tables = opened.use(openTables({ folder: join(config.dataFolder, 'tables-cache') }))
  const address = config.filesAddress
  const held = (store: ByteStore) => heldStore(store, () => areBytesHeld(db))
  const files = opened.use(
    await openFiles({
      database: db,
      folder: config.dataFolder,
      store: held(
        address === null
          ? await openFolderStore(join(config.dataFolder, 'files'))
          : await openS3Store({ address, folder: 'files' }),
      ),
      tables,
      onCreated: (trx, { user_id, file_id, name, run_id }) =>
        activity.append(trx, user_id, [{ type: 'file.created', run_id, data: { file_id, name } }]),
      onRemoved: (stored_as) => tables.forget(stored_as),
      onTableSeen: () => tables.warm(),
    }),
  )
  const accounts = await openAccounts({
    db,
    vault,
    log: log.child({ part: 'accounts' }),
    firstAdmin: config.firstAdmin,
    openid: config.openid,
    findTool: (module, tool) => host.find(module, tool),
    pastCalls: (role_id, since, long) => pastCalls(db.read, role_id, since, long),
    hasActiveRun: Chat.hasActiveRun,
    onUserDeleting: (trx, user_id) => files.deletingUser(trx, user_id),
  })
  const moduleFiles = createModuleFiles({ files, database: db, policy: accounts.policy })
  const catalogue = opened.use(
    await openCatalogue({
      db,
      vault,
      log: moduleLog,
      host,
      sandbox,
      dataFolder: config.dataFolder,
      folder: moduleFolder,
      packages: held(
        address === null
          ? await openFolderStore(join(moduleFolder, 'packages'), PACKAGE_ID)
          : await openS3Store({ address, folder: 'packages', ids: PACKAGE_ID }),
      ),
      builtins: [
        systemModule,
        filesModule(moduleFiles),
        tablesModule(moduleFiles, tables),
        httpModule,
        sqlModule(config.dataFolder),
        ...(options.builtins ?? []),
      ],
      builtinFolder: BUILTINS,
      sdkFile: SDK_FILE,
      audit: accounts.audit,
      onChanged: async (trx, module) => {
        const tell = async (within: Trx) => {
          for (const user_id of await administrators(within))
            await activity.append(within, user_id, [{ type: 'module.changed', data: { module } }])
        }
        await (trx === null ? db.transaction(tell) : tell(trx))
      },
      reeveVersion: manifest.version,
    }),
  )
  const engine = opened.use(
    await EngineSettings.open({
      db,
      vault,
      environment: config.ai,
      audit: accounts.audit,
      onError: failed('the AI engine was not read'),
    }),
  )
  const model = measuredModel(liveModel(engine, host), metrics)
  const usage = createUsage()
  const switches = opened.use(await Switches.open(db, failed('the switches were not read')))
  const tasks = opened.use(new Tasks((error, name) => log.error({ err: error, task: name }, 'background task failed')))
  const chat = opened.use(
    new Chat({
      db,
      activity,
      model,
      tools: measuredTools(catalogue.tools, metrics),
      prompts: catalogue.prompts,
      policy: accounts.policy,
      attachments: files.attachments,
      audit: accounts.audit,
      usage,
      switches,
      log: log.child({ part: 'chat' }),
      stillValid: (caller) => accounts.gate.stillValid(caller),
      purgeFiles: (user_id, file_ids, run_ids) => files.purge(user_id, file_ids, run_ids),
      tasks,
    }),
  )
  const certificates = await openCertificates({
    tls: config.tls,
    dataFolder: config.dataFolder,
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
      onAnswer: (...answer) => metrics.request(...answer),
    }),
  )

  server.mount(contract.accounts, accounts.handlers)
  server.mount(contract.chat, chatRoutes(chat))
  server.mount(contract.files, files.handlers)
  server.mount(
    contract.tables,
    tableRoutes({
      tables,
      files: createTableFiles(files),
      labels: createTableLabels({
        model,
        policy: accounts.policy,
        meter: engineMeter(db, usage),
      }),
      background: (name, work) => tasks.spawn(name, work),
    }),
  )
  server.mount(
    contract.commands,
    commandRoutes({
      db,
      onChanged: (trx, { user_id, ...data }) => activity.append(trx, user_id, [{ type: 'command.changed', data }]),
    }),
  )
  server.mount(contract.modules, moduleRoutes(catalogue))
  mountAdministration(server, { config, db, accounts, engine, model, catalogue, chat, tasks, certificates })
  server.mount(contract.certificates, certificateRoutes(certificates.source))
  server.mount(contract.pages, pageRoutes())
  server.mount(
    contract.about,
    aboutRoutes({
      version: manifest.version,
      database: config.databaseUrl === null ? 'sqlite' : 'postgresql',
      buildFile: BUILD_FILE,
    }),
  )
  mountOperation(server, { db, catalogue, tables, metrics })

  const { port } = await server.listen()
  const url = config.publicUrl ?? reachableUrl(certificates.source === null ? 'http' : 'https', config.host, port)
  const setupLink = accounts.setupToken === null ? null : new URL(`/setup?token=${accounts.setupToken}`, url).href
  // Everything that can wait until somebody may already sign in.
  tasks.every('refresh certificates', certificates.source?.refreshEvery ?? SWEEP, () =>
    certificates.refresh((pair) => server.useIdentity(pair)),
  )
  tasks.every('sweep accounts', SWEEP, () => accounts.sweep())
  tasks.every('sweep files', SWEEP, async (signal) => {
    await files.sweep(signal)
  })
  const retain = createRetention(db, { keepUsageDays: config.keepUsage })
  tasks.every('remove what is too old', RETENTION, async (signal) => void (await retain(signal)))
  tasks.spawn('start modules', async () => {
    await catalogue.tools.ready()
    // Runs need their tools, so they are taken up again only now.
    await chat.runner.recover()
    await model.warmUp()
  })
  // Requests wait for their runs, and the server waits for its requests: runs are told first that it is over.
  opened.defer(() => void chat.runner.stopAll())
  const closing = opened.move()
  return { url, setupLink, chat, db, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}
