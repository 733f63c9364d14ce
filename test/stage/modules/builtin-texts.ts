import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgreedTool } from '../../../server/modules/supervision/runtime-tools.ts'
import { Manifest } from '../../../server/modules/bundle/manifest/manifest.ts'
import { moduleTexts } from '../../../server/modules/bundle/manifest/module-texts.ts'
import { reeveMeta } from '../../../server/modules/bundle/manifest/reeve-meta.ts'
import { openHost } from '../../../server/modules/host.ts'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'
import { builtinSpec } from '../../../server/modules/spec/builtin-spec.ts'
import { ROOT } from '../sources/source-graph.ts'

/** The tools of a built-in module with every setting that hides one turned off. */
export async function toolsOfBuiltin(builtin: BuiltinModule): Promise<AgreedTool[]> {
  await using host = openHost({ log: { info: () => undefined, warn: () => undefined } })
  host.apply([builtinSpec(builtin, { read_only: false })])
  await host.started(builtin.manifest.name)
  return host.list() as AgreedTool[]
}

/** Everything that a built-in module says to people in its manifest and its settings. */
export function manifestTexts(builtin: BuiltinModule): string[] {
  const manifest = Manifest.parse(builtin.manifest)
  const { display_name, description, long_description } = moduleTexts(manifest)
  const settings = Object.values(reeveMeta(manifest).settings ?? {})
  return [
    display_name,
    description,
    long_description,
    ...Object.values(manifest.user_config ?? {}).flatMap((option) => [option.title, option.description]),
    ...settings.flatMap(({ group, unit }) => [group ?? '', unit ?? '']),
  ].filter((text) => /\p{L}{2}/u.test(text))
}

/** What a tool says to people: of a schema the titles and descriptions, at any depth. */
export function toolTexts({ title, description, input_schema, definition }: AgreedTool): string[] {
  const ours = definition._meta?.['dev.reeve'] as { summary?: string }
  return [title, description, ...(ours.summary === undefined ? [] : [ours.summary]), ...describedIn(input_schema)]
}

function describedIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    (key === 'title' || key === 'description') && typeof value === 'string' ? [value] : describedIn(value),
  )
}

/** What arguments are called where people fill them in: `limit`, and `sort=cpu` for each choice. */
export function argumentWords({ input_schema }: AgreedTool): string[] {
  const named = (schema: unknown, name = ''): string[] => {
    if (Array.isArray(schema)) return schema.flatMap((item) => named(item, name))
    if (schema === null || typeof schema !== 'object') return []
    const { properties = {}, enum: choices = [], items } = schema as Record<string, unknown>
    return [
      ...Object.entries(properties as object).flatMap(([key, value]) => [key, ...named(value, key)]),
      // Written in capitals, they are names: GET, SIGTERM.
      ...(choices as unknown[])
        .map(String)
        .filter((choice) => choice !== choice.toUpperCase())
        .map((choice) => `${name}=${choice}`),
      ...named(items, name),
    ]
  }
  return named(input_schema)
}

/** Titles and labels of the tables that a module makes of its own facts, by its sources. */
export function tableWords(module: string): string[] {
  const folder = join(ROOT, 'builtin', module)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/\b(?:title|label): '([^']+)'/g)])
    .map(([, word]) => word!)
}
