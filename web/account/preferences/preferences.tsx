import { useQuery } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Appearance } from './appearance.tsx'
import { LanguageSection } from './language-section.tsx'
import { PersonalPrompt } from './personal-prompt.tsx'

/** A user's own settings: language and personal prompt for the account, appearance and shortcuts for this browser. */
export function Preferences() {
  const query = useQuery({
    queryKey: ['preferences'],
    queryFn: ({ signal }) => call('GET /api/ui-preferences', { signal }),
  })
  return (
    <div className="max-w-[46rem] space-y-8">
      <QueryView query={query} failed={t('preferences.load_failed')} loading={<SkeletonRows rows={4} />}>
        {({ personal_prompt }) => (
          <>
            <LanguageSection />
            <PersonalPrompt stored={personal_prompt} />
          </>
        )}
      </QueryView>
      <Appearance />
    </div>
  )
}
