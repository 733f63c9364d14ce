import { z } from 'zod'

/** Version of the archive layout; newer ones are refused. */
export const BACKUP_FORMAT = 1

const Digest = z.string().regex(/^[0-9a-f]{64}$/)
const Path = z
  .string()
  .min(1)
  .max(4000)
  // An archive comes from outside, so none of its paths may lead out of the folder it is restored into.
  .refine((path) => !path.startsWith('/') && !/[\\\0]/.test(path) && path.split('/').every(isName), 'leads out')

/**
 * `manifest.json`, the last entry of a backup: lists its contents, so that a restore can tell whether everything is
 * there.
 */
export const BackupManifest = z.strictObject({
  format: z.int(),
  product: z.literal('reeve'),
  reeve_version: z.string(),
  /** Epoch milliseconds. */
  taken_at: z.int(),
  database: z.enum(['sqlite', 'postgres']),
  migrations: z.array(z.string().max(200)),
  tables: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z_][a-z0-9_]*$/),
      columns: z.array(z.string().regex(/^[a-z_][a-z0-9_]*$/)).min(1),
      rows: z.int().min(0),
      /** RowSum of its rows. */
      sum: z.string(),
    }),
  ),
  counters: z.record(z.string().regex(/^[a-z_][a-z0-9_]*$/), z.int().min(0)),
  /** About the secret key, which values in the tables are sealed with. */
  key: z.strictObject({ fingerprint: z.string(), included: z.boolean() }),
  /** Every other entry of the archive, with its expected size and digest. */
  entries: z.array(z.strictObject({ path: Path, size: z.int().min(0), sha256: Digest })),
  /** Ids of stored files and packages that rows name but the store no longer had. */
  missing: z.array(z.string().max(200)),
})
export type BackupManifest = z.infer<typeof BackupManifest>
export type BackupEntry = BackupManifest['entries'][number]

function isName(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..'
}
