import type { SessionUser } from '../client/queries.ts'

export type LanguageCode = SessionUser['language']

/** The supported languages, each by its own name. */
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
