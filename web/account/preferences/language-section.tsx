import { useMutation } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { currentLanguage, setLanguage, t } from '../../i18n.ts'
import { LANGUAGE_CODES, LANGUAGE_NAMES, type LanguageCode } from '../../language-names.ts'
import { announce } from '../../parts/announcer.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Section } from '../../parts/section.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { type Session, sessionQuery } from '../../queries.ts'
import { queryClient } from '../../query-client.ts'

/** The language of pages, dates, numbers and messages. It is shown at once, and stored for every device of the person. */
export function LanguageSection() {
  const save = useMutation({
    mutationFn: (language: LanguageCode) => call('PATCH /api/ui-preferences', { body: { language } }),
    onSuccess: async ({ language }) => {
      queryClient.setQueryData<Session>(
        sessionQuery.queryKey,
        (session) => session && { ...session, user: { ...session.user, language } },
      )
      // What the server wrote in the old language is read again.
      void queryClient.invalidateQueries()
      await setLanguage(language)
      announce(t('preferences.language_saved', { language: LANGUAGE_NAMES[language] }))
    },
  })
  return (
    <Section title={t('preferences.language')}>
      {save.isError && (
        <ErrorNotice
          className="mb-3"
          title={t('preferences.not_saved')}
          error={save.error}
          onRetry={() => save.mutate(save.variables)}
        />
      )}
      <SelectField
        label={t('preferences.language_label')}
        hint={t('preferences.language_hint')}
        value={save.isPending ? save.variables : currentLanguage()}
        onChange={(code) => save.mutate(code as LanguageCode)}
        options={LANGUAGE_CODES.map((code) => ({ value: code, label: LANGUAGE_NAMES[code] }))}
        className="max-w-72"
      />
    </Section>
  )
}
