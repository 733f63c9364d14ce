import { currentLanguage } from './i18n.ts'

let collator = { language: '', compare: (a: string, b: string): number => (a < b ? -1 : 1) }

/** Names sort in the order of the chosen language, with numbers in them by value. */
export function compareNames(a: string, b: string): number {
  const chosen = currentLanguage()
  if (collator.language !== chosen) {
    collator = { language: chosen, compare: new Intl.Collator(chosen, { numeric: true }).compare }
  }
  return collator.compare(a, b)
}
