import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contract } from '../../../contract/index.ts'
import type { TestClient } from '../client.ts'
import { install, makeBundle, type BundleOptions } from './module-bundles.ts'

const SERVER = join(import.meta.dirname, '../../module-fixtures/attack-server.mjs')

export interface Definition {
  name: string
  [member: string]: unknown
}

export interface AttackOptions extends BundleOptions {
  readonly tools: readonly Definition[]
  /** What it lists once `change` was called, or the file `later` is in its data folder. */
  readonly later?: readonly Definition[]
}

/** A bundle of test/module-fixtures/attack-server.mjs with these tools. */
export async function attackBundle({ tools, later, env, files, ...options }: AttackOptions): Promise<Buffer> {
  const whole = (given: readonly Definition[]) =>
    JSON.stringify(given.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })))
  return makeBundle({
    ...options,
    env: { ...env, TOOLS: whole(tools), ...(later === undefined ? {} : { LATER: whole(later) }) },
    files: { ...files, 'server.mjs': await readFile(SERVER) },
  })
}

/** Installs and enables it: all its tools are agreed to as they are then. */
export async function runAttack(admin: TestClient, options: AttackOptions & { name: string }) {
  await install(admin, await attackBundle(options))
  const { module } = await admin.call(contract.modules.enable, { params: { module_name: options.name }, body: {} })
  return module
}

/** The calls that reached the module, oldest first. */
export async function callsOf(dataFolder: string, module: string): Promise<string[]> {
  const text = await readFile(join(dataFolder, 'modules/data', module, 'calls'), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}
