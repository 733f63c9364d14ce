import { join } from 'node:path'
import type { SettingValue } from '../../../contract/modules.ts'
import { planLaunch } from '../bundle/manifest/plan-launch.ts'
import type { Launch } from '../spec/launch.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import type { ModuleRecord } from './store/module-record.ts'
import { usableSettings } from './module-terms.ts'

/** The folder that a module may write to: its HOME. */
export function dataFolderOf(context: Pick<CatalogueContext, 'moduleData'>, module: string): string {
  return join(context.moduleData, module)
}

/**
 * How the current version of a bundle is started with its settings, these secrets, and what was added to its launch.
 * @throws {BundleError} when its launch is refused, for example because it would put a secret on the command line
 */
export function launchOf(
  context: Pick<CatalogueContext, 'moduleData' | 'trees'>,
  record: ModuleRecord,
  secrets: Readonly<Record<string, SettingValue>>,
  variables: Readonly<Record<string, string>> = {},
): Launch {
  if (record.current === null) throw new Error('Only a bundle has a launch')
  const dataFolder = dataFolderOf(context, record.name)
  const launch = planLaunch(record.current.manifest, {
    bundleFolder: context.trees.pathOf(record.current.digest),
    dataFolder,
    home: dataFolder,
    values: { ...usableSettings(record), ...secrets },
  })
  return { ...launch, args: [...launch.args, ...record.extras.args], env: { ...launch.env, ...variables } }
}
