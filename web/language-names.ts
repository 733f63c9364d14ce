import type { SessionUser } from './queries.ts'

export type LanguageCode = SessionUser['language']

/** The languages that Reeve speaks, each as its speakers call it. */
export const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
  ru: 'Русский',
  uk: 'Українська',
  zh: '中文',
  ja: '日本語',
} as const satisfies Record<LanguageCode, string>

export const LANGUAGE_CODES = Object.keys(LANGUAGE_NAMES) as LanguageCode[]
