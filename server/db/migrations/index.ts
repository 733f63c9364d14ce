import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import * as initial from './0001-initial.ts'

export interface Migration {
  readonly name: string
  up(db: Kysely<unknown>, dialect: Dialect): Promise<void>
}

/** Every migration in its order. Forward only: a released one is never edited, and none is ever removed. */
export const MIGRATIONS: readonly Migration[] = [{ name: '0001-initial', up: initial.up }]
