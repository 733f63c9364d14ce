import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Plus } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { EngineFacts } from '../../admin/engine/engine-facts.tsx'
import { EngineForm } from '../../admin/engine/engine-form.tsx'
import { EngineList } from '../../admin/engine/engine-list.tsx'
import { type EngineEntry, enginesQuery } from '../../admin/engine/engine-query.ts'
import { ModelAbilities } from '../../admin/engine/model-abilities.tsx'
import { TitleSwitch } from '../../admin/engine/title-switch.tsx'

/** AI engines: the list, and the form of one of them. Without any: direct mode, and the form of the first. */
export function EnginePage() {
  const query = useQuery(enginesQuery)
  // The id of an engine, or `new`.
  const [open, setOpen] = useState<string | null>(null)
  const engines = query.data?.items ?? []
  const opened = engines.find(({ engine_id }) => engine_id === open) ?? null
  const close = (): void => setOpen(null)
  return (
    <Page
      title={t('admin.ai')}
      actions={
        engines.length > 0 &&
        open === null && (
          <Button icon={Plus} variant="primary" onClick={() => setOpen('new')}>
            {t('engine.add')}
          </Button>
        )
      }
    >
      <div className="max-w-3xl">
        <QueryView
          query={query}
          failed={t('engine.load_failed')}
          loading={<SkeletonRows rows={3} className="h-20 rounded-lg" />}
        >
          {({ items, titles }) => {
            if (items.length === 0)
              return (
                <div className="space-y-5">
                  <div>
                    <Status tone="info" label={t('engine.none')} />
                    <p className="text-muted mt-1">{t('engine.none_text')}</p>
                  </div>
                  <EngineForm engine={null} onSaved={close} />
                </div>
              )
            if (open === 'new' || opened !== null) return <OpenEngine key={open} engine={opened} onClose={close} />
            return (
              <div className="space-y-4">
                <p className="text-muted">{t('engine.list_text')}</p>
                <EngineList engines={items} onOpen={setOpen} />
                <TitleSwitch on={titles} />
              </div>
            )
          }}
        </QueryView>
      </div>
    </Page>
  )
}

/** One engine; null: a new one. Remounted for another: typed values belong to the engine they were typed for. */
function OpenEngine({ engine, onClose }: { readonly engine: EngineEntry | null; onClose(): void }) {
  return (
    <div className="space-y-5">
      <div>
        <Button icon={ArrowLeft} variant="ghost" size="sm" onClick={onClose} className="-ms-2.5 mb-2">
          {t('engine.back')}
        </Button>
        <h2 className="text-lg font-semibold break-words">{engine?.name ?? t('engine.add_title')}</h2>
        {engine !== null && engine.updated_at !== null && (
          <p className="text-muted text-sm">
            {t('engine.saved_by', { name: engine.updated_by ?? '' })} <RelativeTime at={engine.updated_at} />
          </p>
        )}
      </div>
      {engine?.source === 'environment' ? (
        <EngineFacts engine={engine} />
      ) : (
        <EngineForm engine={engine} onSaved={onClose} />
      )}
      {engine !== null && <ModelAbilities engine={engine} />}
    </div>
  )
}
