import { useSyncExternalStore } from 'react'
import { formatMessage, type MessageValues } from './message-format.ts'
import type english from '../locales/en.json'

export type MessageKey = keyof typeof english
type Catalogue = Partial<Record<string, string>>

// Texts are data: fetched separately from the program and cached by the browser, only in the language being used.
const addresses = import.meta.glob<string>('../locales/*.json', { query: '?url', import: 'default', eager: true })
const KEY = 'reeve.language'
const listeners = new Set<() => void>()
let language = 'en'
let catalogue: Catalogue = {}

/**
 * The text for a key in the chosen language. Placeholders: `{name}`, plurals. A test ensures that catalogues are
 * complete.
 */
export function t(key: MessageKey, values: MessageValues = {}): string {
  return formatMessage(catalogue[key] ?? key, values, language)
}

/** The text for a key built at run time (`error.${code}`), or null when there is none. */
export function tIfKnown(key: string, values: MessageValues = {}): string | null {
  const text = catalogue[key]
  return text === undefined ? null : formatMessage(text, values, language)
}

/** What a run came to, where only the code of its notice is known; null: no such text. */
export function noticeWithoutDetail(code: string): string | null {
  return tIfKnown(`notice.${code}`, { detail: '' })?.trim() ?? null
}

/** BCP 47 code of the chosen language, for Intl. */
export function currentLanguage(): string {
  return language
}

/** Loads the texts of a language, before the first render and whenever the language changes. */
async function loadTexts(code: string): Promise<void> {
  const response = await fetch(addresses[`../locales/${code}.json`]!)
  if (!response.ok) throw new Error(`The texts of “${code}” are not there: status ${response.status}.`)
  takeTexts((await response.json()) as Catalogue)
  document.documentElement.lang = code
}

/**
 * Loads the texts before sign-in: in the language last used here, else the first of the browser's languages with a
 * catalogue.
 */
export async function startTexts(): Promise<void> {
  const wanted = [readStored(), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase())
  const code = wanted.find((one) => addresses[`../locales/${one}.json`] !== undefined) ?? 'en'
  await loadTexts(code)
  language = code
}

/** Sets the catalogue. */
export function takeTexts(texts: Catalogue): void {
  catalogue = texts
}

/**
 * Loads a language's catalogue and switches to it. A code without a catalogue keeps the current texts, but changes
 * dates and numbers.
 */
export async function setLanguage(code: string): Promise<void> {
  if (code === language) return
  if (addresses[`../locales/${code}.json`] !== undefined) await loadTexts(code)
  language = code
  try {
    localStorage.setItem(KEY, code)
  } catch {
    // Storage is blocked: the next visit starts with the browser's language.
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

/**
 * The chosen language. Components that use it render again when it changes: pages outside the frame keep what was typed
 * in them, and the frame, which is keyed by it, is remounted.
 */
export function useLanguage(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => language,
  )
}
