import { useQuery } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { formatDateTime, formatRelative } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { ModuleFacts } from '../../parts/layout/module-facts.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { readHelpMarkdown } from '../../help/chapter.ts'
import { Collapsible } from '../../help/collapsible.tsx'
import { HelpFrame } from '../../help/help-frame.tsx'
import { HelpText } from '../../help/help-text.tsx'
import { LibraryList } from '../../help/library-list.tsx'
import { loadChanges, loadLicence } from '../../help/own-texts.ts'

/** About this installation: version, build, licence, changelog and libraries. */
export function About() {
  const about = useQuery({ queryKey: ['about'], queryFn: ({ signal }) => call('GET /api/about', { signal }) })
  const licence = useQuery({ queryKey: ['help', 'licence'], queryFn: loadLicence, staleTime: Infinity })
  const changes = useQuery({
    queryKey: ['help', 'changes'],
    queryFn: async () => readHelpMarkdown((await loadChanges()).replace(/^# .*\n/, ''), t('about.changes')),
    staleTime: Infinity,
  })
  return (
    <HelpFrame page="about">
      <div className="max-w-[46rem] space-y-8">
        <QueryView query={about} failed={t('about.load_failed')} loading={<SkeletonRows rows={3} />}>
          {({ name, version, licence: terms, internals }) => (
            <Section title={t('about.installation')}>
              <ModuleFacts
                facts={[
                  [t('about.version'), `${name} ${version}`],
                  [t('about.licence'), terms],
                  [t('about.commit'), internals?.commit ? <code className="text-sm">{internals.commit}</code> : null],
                  [t('about.built'), internals?.built_at ? formatDateTime(internals.built_at) : null],
                  [
                    t('about.started'),
                    internals === null
                      ? null
                      : `${formatDateTime(internals.started_at)} (${formatRelative(internals.started_at)})`,
                  ],
                  [t('about.database'), internals === null ? null : t(`about.database_${internals.database}`)],
                  [t('about.node'), internals?.node ?? null],
                  [t('about.platform'), internals?.platform ?? null],
                ]}
              />
            </Section>
          )}
        </QueryView>
        <Section title={t('about.changes')}>
          <QueryView query={changes} failed={t('help.load_failed')} loading={<SkeletonRows rows={3} />}>
            {({ blocks }) => (
              <Collapsible summary={t('about.show_changes')}>
                <HelpText blocks={blocks} />
              </Collapsible>
            )}
          </QueryView>
        </Section>
        <Section title={t('about.licence')}>
          <p className="mb-2">{t('about.licence_text')}</p>
          <QueryView query={licence} failed={t('help.load_failed')} loading={<SkeletonRows rows={1} />}>
            {(text) => (
              <Collapsible summary={t('about.show_licence')}>
                <CodeBlock code={text} wrap />
              </Collapsible>
            )}
          </QueryView>
        </Section>
        <LibraryList />
      </div>
    </HelpFrame>
  )
}
