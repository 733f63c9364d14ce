import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** What a query needs, inside a transaction as well as outside; cannot write. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'with' | 'withRecursive' | 'getExecutor'>
