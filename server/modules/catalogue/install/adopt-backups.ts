import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { markPerhapsUnused } from '../../../db/objects/unused-objects.ts'
import type { CatalogueContext } from '../catalogue-context.ts'
import { BackupLabel } from './backups.ts'
import { sizeLimits } from './receive-bundle.ts'
import { signedIn } from './builtin-snapshot.ts'

const FILE = /^[a-z0-9][a-zA-Z0-9.+_-]{0,200}\.mcpb$/

/**
 * Takes over the backups that this process kept in its data folder, as versions before 0039 did and archives of theirs
 * still contain, so that every process has them. A file goes once its row is there; what fails is tried again at the next
 * start.
 */
export async function adoptBackups(context: CatalogueContext): Promise<void> {
  const folder = join(context.folder, 'backups')
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith('.')) await rm(join(folder, name), { force: true })
    if (!FILE.test(name)) continue
    try {
      await adopt(context, folder, name)
    } catch (error) {
      context.log.warn({ err: error, backup: name }, 'backup of a module was not taken over')
    }
  }
}

async function adopt(context: CatalogueContext, folder: string, name: string): Promise<void> {
  const { db, backups, trees } = context
  const file = join(folder, name)
  const labelFile = join(folder, `${name.slice(0, -'.mcpb'.length)}.json`)
  const found = BackupLabel.parse(JSON.parse(await readFile(labelFile, 'utf8')))
  await using staging = await trees.stage()
  const tree = join(staging.folder, 'tree')
  await mkdir(tree)
  // Nearly no start needs it.
  const { unpackBundle } = await import('../../bundle/archive/unpack-bundle.ts')
  const { digest, manifest } = await unpackBundle(file, tree, sizeLimits(context))
  const label = { ...found, state: found.builtin ? signedIn(manifest) : null }
  const known = (await backups.listOf(label.name)).some(
    (each) => each.removed_at === label.removed_at && each.version === label.version && each.digest === label.digest,
  )
  if (!known) {
    const stored = await trees.store(digest, file)
    const backup = await backups.nameFor(label)
    try {
      await db.transaction((trx) => backups.add(trx, backup, label, stored))
    } catch (error) {
      await markPerhapsUnused(db, 'packages', [stored.stored_as])
      throw error
    }
    context.log.info({ backup }, 'took over the backup of a module')
  }
  await rm(file)
  await rm(labelFile, { force: true })
}
