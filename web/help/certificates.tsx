import { useQuery } from '@tanstack/react-query'
import { call } from '../api.ts'
import { currentLanguage, t } from '../i18n.ts'
import { Notice } from '../parts/notice.tsx'
import { QueryView } from '../parts/query-view.tsx'
import { Section } from '../parts/section.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { AuthorityFacts } from './authority-facts.tsx'
import { loadCertificateSteps } from './guide-texts.ts'
import { Fold } from './fold.tsx'
import { HelpFrame } from './help-frame.tsx'
import { HelpText } from './help-text.tsx'
import { ownSystem } from './own-system.ts'

const INTRODUCTION = 'introduction'

/** How a device learns to trust this installation's own certificate authority; or why there is nothing to do. */
export function Certificates() {
  const language = currentLanguage()
  const state = useQuery({
    queryKey: ['certificate'],
    queryFn: ({ signal }) => call('GET /api/certificate', { signal }),
  })
  return (
    <HelpFrame page="certificates">
      <QueryView query={state} failed={t('certificates.load_failed')} loading={<SkeletonRows rows={3} />}>
        {({ tls, ca }) => (
          <div className="max-w-[46rem] space-y-8">
            {ca === null ? (
              <Notice tone="info" title={t(tls === 'files' ? 'certificates.files_title' : 'certificates.off_title')}>
                {t(tls === 'files' ? 'certificates.files_text' : 'certificates.off_text')}
              </Notice>
            ) : (
              <AuthorityFacts authority={ca} />
            )}
            {ca !== null && <Steps language={language} />}
          </div>
        )}
      </QueryView>
    </HelpFrame>
  )
}

function Steps({ language }: { readonly language: string }) {
  const texts = useQuery({
    queryKey: ['help', 'certificates', language],
    queryFn: () => loadCertificateSteps(language),
    staleTime: Infinity,
  })
  const own = ownSystem(navigator.userAgent, navigator.maxTouchPoints)
  return (
    <QueryView query={texts} failed={t('help.load_failed')} loading={<SkeletonRows rows={5} />}>
      {(chapters) => {
        const introduction = chapters.find(({ id }) => id === INTRODUCTION)
        const systems = chapters.filter(({ id }) => id !== INTRODUCTION)
        const first = systems.filter(({ id }) => id === own)
        return (
          <>
            {introduction && <HelpText blocks={introduction.blocks} />}
            <Section title={t('certificates.steps')}>
              <div className="space-y-2">
                {[...first, ...systems.filter(({ id }) => id !== own)].map((chapter) => (
                  <Fold
                    key={chapter.id}
                    id={chapter.id}
                    open={chapter.id === own}
                    summary={
                      <span className="flex items-center gap-3">
                        <span className="min-w-0 flex-1">{chapter.title}</span>
                        {chapter.id === own && (
                          <span className="text-muted text-sm font-normal">{t('certificates.own')}</span>
                        )}
                      </span>
                    }
                  >
                    <HelpText blocks={chapter.blocks} />
                  </Fold>
                ))}
              </div>
            </Section>
          </>
        )
      }}
    </QueryView>
  )
}
