import { z } from 'zod'
import type { FileAnswer } from '../../../../contract/route.ts'
import type { Database, Trx } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { iso } from '../../../kernel/time.ts'
import { RoleRule } from '../role-rules.ts'
import type { PackageTrees, StoredPackage } from '../store/package-trees.ts'
import { SignedSnapshot } from './builtin-snapshot.ts'

/** What is kept with each backup because its file name cannot express it. */
export const BackupLabel = z.object({
  name: z.string(),
  display_name: z.string(),
  version: z.string(),
  builtin: z.boolean(),
  removed_at: z.number(),
  /** Digest of the bundle; null for a built-in. */
  digest: z.string().nullable().default(null),
  /** Rules that allowed its tools when it was removed. */
  rules: z.array(RoleRule).default([]),
  /** Of a built-in: its state, as the bundle has it, too. */
  state: SignedSnapshot.nullable().default(null),
})
export type BackupLabel = z.infer<typeof BackupLabel>

export interface Backup extends BackupLabel {
  /** File name. */
  readonly backup: string
  readonly size: number
}

/** Backups of removed modules: rows, and bundles in the store of packages, so that every process has them. */
export class Backups {
  readonly #db: Database
  readonly #trees: Pick<PackageTrees, 'read' | 'find'>

  constructor(db: Database, trees: Pick<PackageTrees, 'read' | 'find'>) {
    this.#db = db
    this.#trees = trees
  }

  /** The file name for a backup, not taken so far. */
  async nameFor({ name, version, removed_at }: BackupLabel): Promise<string> {
    const time = iso(removed_at).slice(0, 19).replace(/[-:]/g, '').toLowerCase()
    const stem = `${name}-${version.replace(/[^a-zA-Z0-9.+_-]/g, '_')}-${time}`
    const rows = await this.#db.read.selectFrom('module_backup').select('backup').where('module', '=', name).execute()
    const taken = new Set(rows.map(({ backup }) => backup))
    for (let number = 1; ; number++) {
      const backup = `${stem}${number === 1 ? '' : `-${number}`}.mcpb`
      if (!taken.has(backup)) return backup
    }
  }

  /** Call in the transaction that removes the module: from then on the row names the bundle. */
  async add(trx: Trx, backup: string, label: BackupLabel, { stored_as, size }: StoredPackage): Promise<void> {
    const { name: module, removed_at } = label
    await trx
      .insertInto('module_backup')
      .values({ backup, module, stored_as, size, removed_at, label: JSON.stringify(label) })
      .execute()
  }

  /** Newest first. */
  list(): Promise<Backup[]> {
    return this.#read(null)
  }

  /** Those of one module, newest first. */
  listOf(module: string): Promise<Backup[]> {
    return this.#read(module)
  }

  /** The newest backup of one module: of the bundle with this digest or, with null, of a built-in. */
  async newestOf(module: string, digest: string | null): Promise<Backup | null> {
    return (await this.#read(module)).find((backup) => backup.digest === digest) ?? null
  }

  async #read(module: string | null): Promise<Backup[]> {
    const rows = await this.#db.read
      .selectFrom('module_backup')
      .select(['backup', 'size', 'label'])
      .$if(module !== null, (query) => query.where('module', '=', module))
      .orderBy('removed_at', 'desc')
      .orderBy('backup', 'desc')
      .execute()
    return rows.map(({ backup, size, label }) => ({
      ...BackupLabel.parse(JSON.parse(label)),
      backup,
      size: Number(size),
    }))
  }

  /** @throws {AppError} not_found */
  async read(backup: string): Promise<FileAnswer> {
    const row = await this.#db.read
      .selectFrom('module_backup')
      .select('stored_as')
      .where('backup', '=', backup)
      .executeTakeFirst()
    const found = row === undefined ? null : await this.#trees.find(row.stored_as)
    if (found === null) throw new AppError('not_found', say`There is no such backup.`)
    return {
      name: backup,
      media_type: 'application/zip',
      size: found.size,
      stream: this.#trees.read(found.stored_as),
    }
  }
}
