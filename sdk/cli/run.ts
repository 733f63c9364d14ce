import { createInterface } from 'node:readline'
import process from 'node:process'
import type { SettingValue } from '../../contract/modules.ts'
import type { ToolResult } from '../../server/chat/ports/tools.ts'
import { checkSettings } from '../../server/modules/bundle/settings/check-settings.ts'
import { missingSettings } from '../../server/modules/bundle/settings/missing-settings.ts'
import { settingFields } from '../../server/modules/bundle/settings/setting-fields.ts'
import { type HostedModule, openModule } from './hosted-module.ts'
import { openBundle } from './opened-bundle.ts'
import { UsageError } from './usage-error.ts'

export interface RunOptions {
  /** `key=value`, one per setting; for a list the key is repeated. */
  readonly set: readonly string[]
  /** Makes one call to this tool instead of reading lines from standard input. */
  readonly tool: string | undefined
  /** JSON. */
  readonly arguments: string
}

/** Starts a module and calls its tools by hand. Resolves with the exit code. */
export async function run(path: string, options: RunOptions): Promise<number> {
  await using bundle = await openBundle(path)
  const fields = settingFields(bundle.manifest)
  const values = readValues(fields, options.set)
  const problems = [
    ...checkSettings(fields, values),
    ...missingSettings(fields, values).map(({ key }) => ({ path: key, message: `is required: --set ${key}=…` })),
  ]
  if (problems.length > 0)
    throw new UsageError(problems.map(({ path: key, message }) => `${key}: ${message.toString()}`).join('\n'))
  await using module = await openModule(bundle, values, null)
  if (options.tool !== undefined) return await call(module, options.tool, options.arguments)

  const { tools, isolation } = module.runtime
  say(`${bundle.manifest.name} runs (${isolation?.level}: ${String(isolation?.reason)})`)
  for (const { name, description } of tools) say(`  ${name}  ${description}`)
  say('Call a tool by its name and its arguments as JSON, one per line. Ctrl+D ends.')
  for await (const line of createInterface({ input: process.stdin })) {
    const [, tool = '', input = ''] = /^\s*(\S*)\s*(.*)$/.exec(line) ?? []
    if (tool !== '') await call(module, tool, input || '{}').catch((error: Error) => say(error.message))
  }
  return 0
}

function readValues(fields: ReturnType<typeof settingFields>, pairs: readonly string[]): Record<string, SettingValue> {
  const values: Record<string, SettingValue> = {}
  for (const pair of pairs) {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
    const field = fields.find((each) => each.key === key)
    if (!field)
      throw new UsageError(
        `There is no setting ${key || pair}. There are ${fields.map((each) => each.key).join(', ')}.`,
      )
    const before = values[key]
    if (field.multiple) values[key] = [...(Array.isArray(before) ? before : []), text]
    else if (field.type === 'number') values[key] = Number(text)
    else values[key] = field.type === 'boolean' ? text === 'true' : text
  }
  return values
}

async function call(module: HostedModule, tool: string, text: string): Promise<number> {
  let input: unknown
  try {
    input = JSON.parse(text)
  } catch {
    throw new UsageError(`The arguments are not JSON: ${text}`)
  }
  const result = await module.call(tool, input as Record<string, unknown>, (progress) => say(`… ${progress}`))
  process.stdout.write(`${JSON.stringify(shown(result), null, 2)}\n`)
  return result.status === 'done' ? 0 : 1
}

function shown({ status, text, tables, files }: ToolResult) {
  return {
    status,
    text,
    tables,
    files: files.map(({ name, media_type, data }) => ({ name, media_type, bytes: data.length })),
  }
}

/** Messages for the person go to standard error, apart from the results. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
