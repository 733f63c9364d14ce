import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'

const KIT = '/api/modules/sdk-ai'

/** The kit for writing modules; renders nothing when this installation has none. */
export function KitDownload() {
  const there = useQuery({
    queryKey: ['module-kit'],
    queryFn: async ({ signal }) => (await fetch(KIT, { method: 'HEAD', signal })).ok,
    staleTime: Infinity,
    retry: false,
  })
  if (there.data !== true) return null
  return (
    <Section title={t('modules.kit')}>
      <Panel className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-3">
        <p className="text-muted max-w-prose min-w-0 flex-1 basis-64">{t('modules.kit_text')}</p>
        <a
          href={KIT}
          download
          className="border-line-strong/60 bg-surface hover:bg-hover inline-flex h-9 items-center gap-2 rounded-md border px-3.5 font-medium whitespace-nowrap shadow-sm"
        >
          <Download aria-hidden className="size-4" />
          {t('modules.kit_download')}
        </a>
      </Panel>
    </Section>
  )
}
