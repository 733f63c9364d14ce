import { useMutation } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { currentLanguage, setLanguage, t } from '../../text/i18n.ts'
import { LANGUAGE_CODES, LANGUAGE_NAMES, type LanguageCode } from '../../text/language-names.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { type Session, sessionQuery } from '../../client/queries.ts'
import { queryClient } from '../../client/query-client.ts'

/**
 * The language of pages, dates, numbers and messages. It takes effect at once and is stored for all of the user's
 * devices.
 */
export function LanguageSection() {
  const save = useMutation({
    mutationFn: (language: LanguageCode) => call('PATCH /api/ui-preferences', { body: { language } }),
    onSuccess: async ({ language }) => {
      queryClient.setQueryData<Session>(
        sessionQuery.queryKey,
        (session) => session && { ...session, user: { ...session.user, language } },
      )
      // Server texts in the old language are fetched again.
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
