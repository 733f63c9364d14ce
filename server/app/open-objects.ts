import type { Database } from '../db/database.ts'
import { createObjectSweep, type ObjectSweep } from '../db/objects/object-sweep.ts'
import type { ByteStore } from '../files/byte-store.ts'
import { namedPackages } from '../modules/catalogue/store/named-packages.ts'
import { PACKAGE_ID } from '../modules/catalogue/store/package-store.ts'
import { areBytesHeld } from '../operation/backup/backup-hold.ts'
import type { Config } from './config.ts'
import { openBytes } from './open-bytes.ts'

/** An older version next to this one stores a package again under the same id, an hour before its row at most. */
const UNUSED_PACKAGE_MS = 3_600_000

/** The stores that all processes on the database share. */
export interface Objects {
  readonly files: ByteStore
  readonly packages: ByteStore
  readonly packageSweep: ObjectSweep
  /** Whether everything must be kept at present, for a backup. */
  isHeld(): Promise<boolean>
}

export async function openObjects(config: Config, database: Database): Promise<Objects> {
  const isHeld = () => areBytesHeld(database)
  const files = await openBytes(config, { folder: 'files', name: 'files' })
  const packages = await openBytes(config, { folder: 'modules/packages', name: 'packages', ids: PACKAGE_ID })
  const packageSweep = createObjectSweep({
    database,
    name: 'packages',
    store: packages,
    named: namedPackages,
    age_ms: UNUSED_PACKAGE_MS,
    isHeld,
  })
  return { files, packages, packageSweep, isHeld }
}
