import { writeFileSync } from 'node:fs'
import { test } from 'vitest'
import { filesModule } from '../builtin/files/module.ts'
import { httpModule } from '../builtin/http/module.ts'
import { sqlModule } from '../builtin/sql/module.ts'
import { systemModule } from '../builtin/system/module.ts'
import { tablesModule } from '../builtin/tables/module.ts'
import { argumentWords, manifestTexts, tableWords, toolsOfBuiltin, toolTexts } from './stage/modules/builtin-texts.ts'
test('dump', async () => {
  const out: Record<string, unknown> = {}
  for (const m of [filesModule(null as never), httpModule, sqlModule('/tmp/nowhere'), systemModule(null), tablesModule(null as never, null as never)]) {
    const tools = await toolsOfBuiltin(m)
    const u = (l: string[]) => [...new Set(l)]
    out[m.manifest.name] = { manifest: u(manifestTexts(m)), tools: u(tools.flatMap(toolTexts)), args: u(tools.flatMap(argumentWords)), tables: u(tableWords(m.manifest.name)) }
  }
  writeFileSync('/tmp/rv/wb-dump.json', JSON.stringify(out, null, 1))
})
