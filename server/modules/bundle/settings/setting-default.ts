import type { SettingValue } from '../../../../contract/modules.ts'
import { expandText } from '../manifest/expand-text.ts'
import type { Manifest } from '../manifest/manifest.ts'

type Option = NonNullable<Manifest['user_config']>[string]

/**
 * The default of a setting, converted to the setting's type, with its folders expanded; undefined when there is no
 * usable one. Without `places`, variables are left in place.
 */
export function settingDefault(
  option: Option,
  places: { readonly bundleFolder: string; readonly home: string } | null,
): SettingValue | undefined {
  const expand = (text: string): string =>
    places === null ? text : expandText(text, places, (key) => `\${user_config.${key}}`)
  const value = option.default
  switch (option.type) {
    case 'number': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined
    }
    case 'boolean':
      if (value === 'true' || value === 'false') return value === 'true'
      return typeof value === 'boolean' ? value : undefined
    default: {
      if (value === undefined || typeof value === 'boolean') return undefined
      const texts = (Array.isArray(value) ? value : [String(value)]).filter((text) => text !== '').map(expand)
      if (texts.length === 0) return undefined
      return option.multiple === true ? texts : texts.length === 1 ? texts[0] : undefined
    }
  }
}
