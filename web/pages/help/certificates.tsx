import { useQuery } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { currentLanguage, t } from '../../text/i18n.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { AuthorityFacts } from '../../help/authority-facts.tsx'
import { loadCertificateSteps } from '../../help/guide-texts.ts'
import { Collapsible } from '../../help/collapsible.tsx'
import { HelpFrame } from '../../help/help-frame.tsx'
import { HelpText } from '../../help/help-text.tsx'
import { SigningKeys } from '../../help/signing-keys.tsx'
import { ownSystem } from '../../help/own-system.ts'

const INTRODUCTION = 'introduction'

/** How to make a device trust this installation's certificate authority, or why there is nothing to do. */
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
            <SigningKeys />
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
                  <Collapsible
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
                  </Collapsible>
                ))}
              </div>
            </Section>
          </>
        )
      }}
    </QueryView>
  )
}
