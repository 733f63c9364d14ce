import type { SettingField } from '../../../../contract/modules.ts'
import { cut, visible } from '../../../kernel/text/plain-text.ts'
import { AS_WRITTEN, type Wording } from '../../../kernel/wording.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { reeveMeta } from '../manifest/reeve-meta.ts'
import { settingDefault } from './setting-default.ts'

/**
 * The settings of a module as a form shows them, in order: `user_config` and what `_meta["dev.reeve"].settings` adds.
 * With `places`, variables in defaults are filled in; `wording` translates what is text.
 */
export function settingFields(
  manifest: Manifest,
  places: { readonly bundleFolder: string; readonly home: string } | null = null,
  { text: worded }: Wording = AS_WRITTEN,
): SettingField[] {
  const overlay = reeveMeta(manifest).settings ?? {}
  const fields = Object.entries(manifest.user_config ?? {}).map(([key, option]) => {
    const more = Object.hasOwn(overlay, key) ? overlay[key] : undefined
    const text = option.type !== 'number' && option.type !== 'boolean'
    const title = cut(visible(worded(option.title)), 200)
    const field: SettingField = {
      key,
      type: option.type,
      title: more?.unit === undefined ? title : `${title} (${visible(worded(more.unit))})`,
      description: cut(visible(worded(option.description)), 2000),
      required: option.required === true,
      sensitive: option.sensitive === true,
      multiple: text && option.multiple === true,
      multiline: option.type === 'string' && more?.multiline === true,
    }
    if (text && more?.enum !== undefined) {
      field.enum = more.enum.map((each) => {
        const { value, label } = typeof each === 'string' ? { value: each, label: each } : each
        return { value, label: cut(visible(worded(label)), 200) }
      })
    }
    if (option.type === 'string' && more?.pattern !== undefined) field.pattern = more.pattern
    if (option.min !== undefined) field.min = option.min
    if (option.max !== undefined) field.max = option.max
    const value = settingDefault(option, places)
    if (value !== undefined) field.default = value
    if (more?.group !== undefined) field.group = cut(visible(worded(more.group)), 80)
    return { field, order: more?.order ?? Infinity }
  })
  return fields.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order)).map(({ field }) => field)
}
