import { catalogueFiles, type Texts } from '../../kernel/catalogue-files.ts'
import { AS_WRITTEN, type Wording, wordingFrom } from '../../kernel/wording.ts'
import type { Manifest } from '../bundle/manifest/manifest.ts'
import { reeveMeta } from '../bundle/manifest/reeve-meta.ts'
import type { BuiltinModule } from '../spec/builtin-module.ts'
import type { ModuleRecord } from './store/module-record.ts'

const ofBuiltins = new WeakMap<BuiltinModule, (language: string) => Texts>()
const ofManifests = new WeakMap<Manifest, (language: string) => Texts>()

/**
 * How a module's texts read in a language: those of a bundle are in its manifest (`_meta["dev.reeve"].locales`), so
 * agreeing to a bundle agrees to them; those of a built-in module in a file for each language beside it.
 */
export function wordingOf(
  { builtin, manifest }: Pick<ModuleRecord, 'builtin' | 'manifest'>,
  language: string,
): Wording {
  if (builtin !== null) return wordingFrom(language, kept(ofBuiltins, builtin, textsOfBuiltin)(language))
  if (manifest !== null) return wordingFrom(language, kept(ofManifests, manifest, textsOfManifest)(language))
  return { ...AS_WRITTEN, language }
}

function textsOfBuiltin({ locales }: BuiltinModule): (language: string) => Texts {
  return locales === undefined ? () => ({}) : catalogueFiles(locales)
}

function textsOfManifest(manifest: Manifest): (language: string) => Texts {
  const locales = new Map(Object.entries(reeveMeta(manifest).locales ?? {}))
  return (language) => locales.get(language) ?? {}
}

function kept<Key extends object, Value>(map: WeakMap<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  const value = map.get(key) ?? make(key)
  map.set(key, value)
  return value
}
