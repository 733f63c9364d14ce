import { useSyncExternalStore } from 'react'
import { formatMessage, type MessageValues } from './message-format.ts'
import type english from './locales/en.json'

export type MessageKey = keyof typeof english
type Catalogue = Partial<Record<string, string>>

// Texts are data: fetched beside the program and kept by the browser, in the one language that is read.
const addresses = import.meta.glob<string>('./locales/*.json', { query: '?url', import: 'default', eager: true })
const KEY = 'reeve.language'
const listeners = new Set<() => void>()
let language = 'en'
let catalogue: Catalogue = {}

/** The text for a key in the chosen language. Placeholders: `{name}`, plurals. Catalogues are complete: a test says so. */
export function t(key: MessageKey, values: MessageValues = {}): string {
  return formatMessage(catalogue[key] ?? key, values, language)
}

/** The text for a key made at run time (`error.${code}`), or null when there is none. */
export function tIfKnown(key: string, values: MessageValues = {}): string | null {
  const text = catalogue[key]
  return text === undefined ? null : formatMessage(text, values, language)
}

/** BCP 47 code of the chosen language, for Intl. */
export function currentLanguage(): string {
  return language
}

/** Loads the texts of a language; before anything is shown for the first time, and whenever it changes. */
async function loadTexts(code: string): Promise<void> {
  const response = await fetch(addresses[`./locales/${code}.json`]!)
  if (!response.ok) throw new Error(`The texts of “${code}” are not there: status ${response.status}.`)
  takeTexts((await response.json()) as Catalogue)
  document.documentElement.lang = code
}

/** Loads the texts for who is not signed in: the language that was read here last, else the first of the browser's that there is. */
export async function startTexts(): Promise<void> {
  const wanted = [readStored(), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase())
  const code = wanted.find((one) => addresses[`./locales/${one}.json`] !== undefined) ?? 'en'
  await loadTexts(code)
  language = code
}

/** Takes these texts from now on. */
export function takeTexts(texts: Catalogue): void {
  catalogue = texts
}

/** Loads a language's catalogue and shows it. A code without a catalogue keeps English words, but its dates and numbers. */
export async function setLanguage(code: string): Promise<void> {
  if (code === language) return
  if (addresses[`./locales/${code}.json`] !== undefined) await loadTexts(code)
  language = code
  try {
    localStorage.setItem(KEY, code)
  } catch {
    // Storage is blocked: the next visit begins with the browser's language.
  }
  for (const listener of listeners) listener()
}

function readStored(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
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
