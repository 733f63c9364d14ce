import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { SettingValue } from '../../contract/modules.ts'
import { UsageError } from './usage-error.ts'

const ModuleTest = z.strictObject({
  name: z.string().min(1),
  settings: z.record(z.string(), SettingValue).default({}),
  tool: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).default({}),
  expect: z
    .strictObject({ text: z.string().optional(), error: z.string().optional(), tables: z.int().optional() })
    .default({}),
})
export type ModuleTest = z.infer<typeof ModuleTest>

/**
 * The tests in `tests.json` of a module's folder; none when there is no such file.
 * @throws {UsageError} naming what is wrong in it
 */
export async function readModuleTests(folder: string): Promise<ModuleTest[]> {
  let text: string
  try {
    text = await readFile(join(folder, 'tests.json'), 'utf8')
  } catch {
    return []
  }
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`tests.json is not valid JSON: ${(error as Error).message}`)
  }
  const parsed = z.array(ModuleTest).safeParse(stored)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  throw new UsageError(`tests.json: ${issue.path.join('.')}: ${issue.message}. docs/testing.md shows the form.`)
}
