import { delimiter, join, sep } from 'node:path'

const VARIABLE = /\$\{(__dirname|HOME|DESKTOP|DOCUMENTS|DOWNLOADS|pathSeparator|\/|user_config\.([^}]{1,200}))\}/g

/**
 * Fills in the variables of a manifest in a single pass, so that characters in the values have no special meaning.
 * Other `${…}` stay as they are. `setting` gives the text for `${user_config.KEY}`.
 */
export function expandText(
  text: string,
  places: { readonly bundleFolder: string; readonly home: string },
  setting: (key: string) => string,
): string {
  return text.replace(VARIABLE, (_whole, name: string, key: string | undefined) => {
    if (key !== undefined) return setting(key)
    switch (name) {
      case '__dirname':
        return places.bundleFolder
      case 'HOME':
        return places.home
      case 'DESKTOP':
        return join(places.home, 'Desktop')
      case 'DOCUMENTS':
        return join(places.home, 'Documents')
      case 'DOWNLOADS':
        return join(places.home, 'Downloads')
      default:
        return sep
    }
  })
}

/** Keys of the settings that a text refers to. */
export function settingsIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].flatMap(([, , key]) => (key === undefined ? [] : [key]))
}

/** The key, when the text is exactly one `${user_config.KEY}` and nothing else. */
export function onlySetting(text: string): string | null {
  const match = /^\$\{user_config\.([^}]+)\}$/.exec(text)
  return match?.[1] ?? null
}

/** Several values as one text, as PATH is written. */
export function joinList(values: readonly string[]): string {
  return values.join(delimiter)
}
