import { hashOf } from '../../kernel/text/canonical.ts'
import type { BuiltinModule, BuiltinSettings } from './builtin-module.ts'
import { openInProcess } from './in-process.ts'
import type { ModuleSpec } from './module-spec.ts'

/**
 * A built-in module as the host runs it, with the values of its settings; `secrets` are those values that are masked.
 */
export function builtinSpec(
  builtin: BuiltinModule,
  settings: BuiltinSettings,
  secrets: readonly string[] = [],
): ModuleSpec {
  const { name, display_name, version } = builtin.manifest
  return {
    name,
    display_name,
    version,
    kind: 'builtin',
    reach: builtin.reach,
    fingerprint: hashOf([version, settings]),
    pins: null,
    secrets,
    probe: undefined,
    onProbe: () => undefined,
    open: () => openInProcess(builtin, settings),
  }
}
