import { Globe } from 'lucide-react'
import { chooseAtDoor } from '../../text/door-language.ts'
import { currentLanguage, setLanguage, t } from '../../text/i18n.ts'
import { LANGUAGE_CODES, LANGUAGE_NAMES, type LanguageCode } from '../../text/language-names.ts'
import { toast } from '../feedback/toast.tsx'

/** The language of the pages before sign-in; it becomes the user's own when they sign in. */
export function LanguageChoice() {
  // Remembered only once its texts are there: until then, and after a failure, the old language stays selected.
  const choose = (code: LanguageCode): void =>
    void setLanguage(code).then(
      () => chooseAtDoor(code),
      () => toast({ text: t('language.not_changed'), tone: 'danger' }),
    )
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
