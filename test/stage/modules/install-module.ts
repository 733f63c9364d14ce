import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { z } from 'zod'
import { contract } from '../../../contract/index.ts'
import type { Capabilities, ModuleDetail, SettingValue } from '../../../contract/modules.ts'
import type { TestClient } from '../client.ts'

/** Posts a bundle as the page does. */
async function installModule(admin: TestClient, bundle: string) {
  return admin.call(contract.modules.install, {
    headers: { 'x-module-filename': basename(bundle) },
    body: await readFile(bundle),
  })
}

/** Installs a bundle, fills in its settings, and enables it. */
export async function runModule(
  admin: TestClient,
  bundle: string,
  { values, grants }: { values?: Record<string, SettingValue>; grants?: z.input<typeof Capabilities> } = {},
): Promise<ModuleDetail> {
  const { module } = await installModule(admin, bundle)
  const params = { module_name: module.name }
  if (values) await admin.call(contract.modules.saveSettings, { params, body: { values } })
  const enabled = await admin.call(contract.modules.enable, { params, body: grants ? { grants } : {} })
  return enabled.module
}
