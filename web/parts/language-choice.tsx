import { Globe } from 'lucide-react'
import { chooseAtDoor } from '../door-language.ts'
import { currentLanguage, setLanguage, t } from '../i18n.ts'
import { LANGUAGE_CODES, LANGUAGE_NAMES, type LanguageCode } from '../language-names.ts'

/** The language for who is not signed in; it becomes theirs when they sign in. */
export function LanguageChoice() {
  const choose = (code: LanguageCode): void => {
    chooseAtDoor(code)
    void setLanguage(code)
  }
  return (
    <label className="text-muted hover:text-ink mt-4 flex items-center gap-2 text-sm">
      <Globe aria-hidden className="size-4" />
      <span className="sr-only">{t('preferences.language')}</span>
      <select
        value={currentLanguage()}
        onChange={(event) => choose(event.target.value as LanguageCode)}
        className="h-8 rounded-md bg-transparent pe-1"
      >
        {LANGUAGE_CODES.map((code) => (
          <option key={code} value={code} lang={code} className="bg-surface text-ink">
            {LANGUAGE_NAMES[code]}
          </option>
        ))}
      </select>
    </label>
  )
}
