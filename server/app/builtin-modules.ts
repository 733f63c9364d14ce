import { filesModule } from '../../builtin/files/module.ts'
import { httpModule } from '../../builtin/http/module.ts'
import { sqlModule } from '../../builtin/sql/module.ts'
import { systemModule } from '../../builtin/system/module.ts'
import { tablesModule } from '../../builtin/tables/module.ts'
import type { BuiltinModule } from '../modules/spec/builtin-module.ts'

interface Needs {
  readonly machines: Parameters<typeof systemModule>[0]
  readonly files: Parameters<typeof tablesModule>[0]
  readonly tables: Parameters<typeof tablesModule>[1]
  readonly dataFolder: string
}

/** The modules that ship with Reeve, with what each needs of it. */
export function builtinModules({ machines, files, tables, dataFolder }: Needs): BuiltinModule[] {
  return [systemModule(machines), filesModule(files), tablesModule(files, tables), httpModule, sqlModule(dataFolder)]
}
