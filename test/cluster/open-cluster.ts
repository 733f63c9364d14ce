import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { freePort } from '../stage/servers/free-port.ts'
import { startPostgres, type PostgresServer } from '../stage/servers/postgres-server.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from '../stage/servers/s3-server.ts'
import { PASSWORD } from '../stage/people.ts'
import { openBalancer, type Balancer } from './balancer.ts'
import { openLink } from './link.ts'
import { Replica } from './replica.ts'

export interface Cluster extends AsyncDisposable {
  readonly replicas: readonly Replica[]
  readonly balancer: Balancer
  readonly postgres: PostgresServer
  /** Of the database that the replicas share, without a network that could break. */
  readonly databaseUrl: string
  /** The environment with which a command of `reeve` sees what the replicas see. */
  readonly env: Readonly<Record<string, string>>
}

export interface ClusterOptions {
  readonly processes: number
  /** Where data folders and logs are. */
  readonly folder: string
  /** The engine. */
  readonly model: { readonly url: string }
  /** Every answer is checked against the contract. */
  readonly checked?: boolean
  /** The first two are each number 1 in a PID namespace of their own, on a machine of the same name. */
  readonly apart?: boolean
  /** Hears which replicas the balancer uses. */
  readonly tell?: (replica: number, ready: boolean, status: number | null) => void
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>
}

/** Whether this machine lets us make PID namespaces. */
export function canStandApart(): boolean {
  return spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true'], { stdio: 'ignore' }).status === 0
}

/** A commit that was answered has to survive a crash of the server, though not of this machine. */
const DURABLE = { synchronous_commit: 'on' }

/** Real processes of the service on one PostgreSQL and one S3 store, behind a balancer. All of them are up and ready. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { processes, folder, model, checked = false, apart = false } = options
  await using opened = new AsyncDisposableStack()
  const [postgres, s3] = await Promise.all([startPostgres(DURABLE), startS3Server()])
  opened.use(postgres)
  opened.use(s3)
  const env: Record<string, string> = {
    ...(checked ? { NODE_ENV: 'test' } : { NODE_ENV: 'production' }),
    REEVE_HOST: '127.0.0.1',
    REEVE_TRUST_PROXY: '127.0.0.1',
    REEVE_SECRET_KEY: randomBytes(32).toString('hex'),
    REEVE_FILES_ACCESS_KEY: S3_KEYS.access,
    REEVE_FILES_SECRET_KEY: S3_KEYS.secret,
    REEVE_ADMIN_USERNAME: 'admin',
    REEVE_ADMIN_PASSWORD: PASSWORD,
    REEVE_AI_PROVIDER: 'openai-compatible',
    REEVE_AI_BASE_URL: model.url,
    REEVE_AI_MODEL: 'scripted',
    REEVE_AI_API_KEY: 'sk-test-key',
    REEVE_AI_TITLES: 'false',
    ...options.env,
  }
  const addresses = (database: { host: string; port: number }, store: { host: string; port: number }) => {
    const url = new URL(postgres.url)
    url.host = `${database.host}:${database.port}`
    return {
      REEVE_DATABASE_URL: url.href,
      REEVE_FILES_URL: `s3://${S3_BUCKET}?endpoint=http://${store.host}:${store.port}&path_style=true&region=us-east-1`,
    }
  }
  const place = (address: string) => {
    const { hostname, port } = new URL(address)
    return { host: hostname, port: Number(port) }
  }
  const [databasePlace, storePlace] = [place(postgres.url), place(s3.url)]
  const replicas: Replica[] = []
  for (let name = 1; name <= processes; name++) {
    const own = join(folder, `replica-${name}`)
    await mkdir(own, { mode: 0o700 })
    const database = opened.use(await openLink(databasePlace))
    const store = opened.use(await openLink(storePlace))
    const local = {
      ...env,
      ...addresses({ host: '127.0.0.1', port: database.port }, { host: '127.0.0.1', port: store.port }),
    }
    const alone = apart && name <= 2
    const replica = new Replica({
      name,
      folder: own,
      port: await freePort(),
      env: local,
      database,
      store,
      apart: alone,
    })
    opened.defer(async () => void (await replica.end('SIGKILL')))
    replicas.push(replica)
  }
  // The first makes the tables and the first administrator; the others come when both are there.
  await replicas[0]!.start()
  await Promise.all(replicas.slice(1).map((replica) => replica.start()))
  const balancer = opened.use(await openBalancer(replicas, options.tell))
  await balancer.look()
  const closing = opened.move()
  return {
    replicas,
    balancer,
    postgres,
    databaseUrl: postgres.url,
    env: { ...env, ...addresses(databasePlace, storePlace) },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
