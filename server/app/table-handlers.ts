import type { Handlers } from '../../contract/route.ts'
import type { tables as contract } from '../../contract/tables.ts'
import type { Model } from '../chat/ports/model.ts'
import type { Policy } from '../chat/ports/policy.ts'
import type { Usage } from '../chat/ports/usage.ts'
import type { Database } from '../db/database.ts'
import { createTableFiles } from '../files/files-for-tables.ts'
import type { Files } from '../files/files.ts'
import { readingSetter } from '../files/set-reading.ts'
import type { Tasks } from '../kernel/tasks.ts'
import { createTableLabels } from '../tables/labels/table-labels.ts'
import { tableRoutes } from '../tables/routes.ts'
import type { Tables } from '../tables/tables.ts'
import { engineMeter } from '../usage/engine-meter.ts'

export interface TableHandlersOptions {
  readonly db: Database
  readonly tables: Tables
  readonly files: Files
  readonly model: Model
  readonly policy: Policy
  readonly usage: Usage
  readonly tasks: Tasks
}

/** The handlers of the table routes, over stored files and the AI engine. */
export function tableHandlers(options: TableHandlersOptions): Handlers<typeof contract> {
  const { db, tables, files, model, policy, usage, tasks } = options
  return tableRoutes({
    tables,
    files: { ...createTableFiles(files), setReading: readingSetter(db) },
    labels: createTableLabels({ model, policy, meter: engineMeter(db, usage) }),
    background: (name, work) => tasks.spawn(name, work),
  })
}
