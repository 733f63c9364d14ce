import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { contract } from '../../contract/index.ts'
import type { ByteStore } from '../../server/files/byte-store.ts'
import { namedFiles } from '../../server/files/shared-bytes.ts'
import { Database } from '../../server/db/database.ts'
import { createObjectSweep, type ObjectSweep } from '../../server/db/objects/object-sweep.ts'
import { readS3Address } from '../../server/files/s3/s3-address.ts'
import { openS3Store } from '../../server/files/s3/s3-store.ts'
import { namedPackages } from '../../server/modules/catalogue/store/named-packages.ts'
import { PACKAGE_ID } from '../../server/modules/catalogue/store/package-store.ts'
import type { TestClient } from './client.ts'
import { startProcess, type TestProcess } from './process.ts'
import { createDatabase } from './servers/postgres.ts'
import { S3_BUCKET, S3_KEYS, startS3Server } from './servers/s3-server.ts'
import { openStoreProxy, type StoreProxy } from './servers/store-proxy.ts'
import { until } from './wait.ts'

export interface SharedMember {
  readonly service: TestProcess
  readonly admin: TestClient
  /** Its way to the bucket. */
  readonly store: StoreProxy
}

/** Two processes on one PostgreSQL and one bucket, and the sweeps of a third. */
export interface SharedStage extends AsyncDisposable {
  readonly a: SharedMember
  readonly b: SharedMember
  readonly db: Database
  readonly files: ByteStore
  readonly packages: ByteStore
  /** Removes what is unused, as if that had been so for days. Returns how many objects. */
  sweep(): Promise<number>
  /** Every object in a store. */
  objects(store: 'files' | 'packages'): Promise<string[]>
}

export async function openSharedStage(): Promise<SharedStage> {
  const opened = new AsyncDisposableStack()
  const s3 = opened.use(await startS3Server())
  const url = await createDatabase()
  const database = { name: 'postgres' as const, url: () => Promise.resolve(url) }
  const addressAt = (endpoint: string) => `s3://${S3_BUCKET}/reeve?endpoint=${encodeURIComponent(endpoint)}`
  async function member(): Promise<Pick<SharedMember, 'service' | 'store'>> {
    const store = opened.use(await openStoreProxy(s3.url))
    const env = {
      REEVE_SECRET_KEY: 'c4'.repeat(32),
      REEVE_FILES_URL: addressAt(store.url),
      REEVE_FILES_ACCESS_KEY: S3_KEYS.access,
      REEVE_FILES_SECRET_KEY: S3_KEYS.secret,
    }
    return { service: opened.use(await startProcess({ database, env })), store }
  }
  const [one, two] = await Promise.all([member(), member()])
  const a = { ...one, admin: await one.service.as('admin') }
  const b = { ...two, admin: await two.service.signIn('admin') }
  const fail = (error: Error): never => {
    throw error
  }
  const folder = a.service.dataFolder
  const db = opened.use(await Database.open({ url, folder, onError: fail, asItIs: true }))
  const address = readS3Address(addressAt(s3.url), S3_KEYS)
  const files = await openS3Store({ address, folder: 'files' })
  const packages = await openS3Store({ address, folder: 'packages', ids: PACKAGE_ID })
  const common = { database: db, age_ms: 0, isHeld: async () => false }
  const sweeps: ObjectSweep[] = [
    createObjectSweep({ ...common, name: 'files', store: files, named: namedFiles }),
    createObjectSweep({ ...common, name: 'packages', store: packages, named: namedPackages }),
  ]
  return {
    a,
    b,
    db,
    files,
    packages,
    async sweep() {
      await db.write.updateTable('unused_object').set({ unused_since: 0 }).execute()
      let removed = 0
      for (const sweep of sweeps) removed += await sweep.unused()
      return removed
    },
    async objects(store) {
      const { objects } = await { files, packages }[store].list(null)
      return objects.map(({ id }) => id).sort()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Names of the installed modules as this process has them now. */
export async function moduleNames(admin: TestClient): Promise<string[]> {
  const { catalog } = await admin.call(contract.modules.list)
  return catalog.map(({ name }) => name)
}

/** Resolves once this process knows the module, or no longer knows it. */
export function seenBy({ admin }: SharedMember, name: string, there: boolean): Promise<boolean> {
  return until(async () => (await moduleNames(admin)).includes(name) === there, { what: `${name} is seen` })
}

/** Removes what a process has unpacked, so that only the packages are left. */
export async function forgetTrees({ service }: SharedMember): Promise<void> {
  const folder = join(service.dataFolder, 'modules/unpacked')
  for (const name of await readdir(folder)) {
    await chmod(join(folder, name), 0o755)
    await rm(join(folder, name), { recursive: true })
  }
}
