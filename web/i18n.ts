import { useSyncExternalStore } from 'react'
import { formatMessage, type MessageValues } from './message-format.ts'
import english from './locales/en.json'

export type MessageKey = keyof typeof english
type Catalogue = Partial<Record<string, string>>

const lazily = import.meta.glob<{ default: Catalogue }>(['./locales/*.json', '!./locales/en.json'])
const listeners = new Set<() => void>()
let language = 'en'
let catalogue: Catalogue = english

/** The text for a key in the chosen language; English where a translation is missing. Placeholders: `{name}`, plurals. */
export function t(key: MessageKey, values: MessageValues = {}): string {
  return formatMessage(catalogue[key] ?? english[key], values, language)
}

/** The text for a key made at run time (`error.${code}`), or null when there is none. */
export function tIfKnown(key: string, values: MessageValues = {}): string | null {
  const text = catalogue[key] ?? (english as Catalogue)[key]
  return text === undefined ? null : formatMessage(text, values, language)
}

/** BCP 47 code of the chosen language, for Intl. */
export function currentLanguage(): string {
  return language
}

/** Loads a language's catalogue and shows it. A code without a catalogue keeps English words, but its dates and numbers. */
export async function setLanguage(code: string): Promise<void> {
  if (code === language) return
  const load = lazily[`./locales/${code}.json`]
  catalogue = code === 'en' || load === undefined ? english : (await load()).default
  language = code
  document.documentElement.lang = load === undefined ? 'en' : code
  for (const listener of listeners) listener()
}

/** The chosen language, for the component whose key it is: changing it draws everything below anew. */
export function useLanguage(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => language,
  )
}
