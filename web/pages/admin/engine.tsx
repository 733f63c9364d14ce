import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { EngineState } from '../../../contract/engines.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { EngineFacts } from '../../admin/engine/engine-facts.tsx'
import { EngineForm } from '../../admin/engine/engine-form.tsx'
import { engineQuery } from '../../admin/engine/engine-query.ts'

/** The AI engine: presets, key, model, test, and removal, which returns to direct mode. */
export function EnginePage() {
  const query = useQuery(engineQuery)
  const [asking, setAsking] = useState(false)
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/admin/ai'),
    onSuccess: ({ ai }) => {
      queryClient.setQueryData(engineQuery.queryKey, ai)
      toast({ text: t('engine.removed'), tone: 'ok' })
      for (const key of ['tools', 'dashboard']) void queryClient.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toast({ text: `${t('engine.not_removed')}. ${explainError(error)}`, tone: 'danger' }),
  })
  return (
    <Page
      title={t('engine.title')}
      actions={
        query.data?.source === 'settings' && (
          <Button icon={Trash2} busy={remove.isPending} onClick={() => setAsking(true)} aria-label={t('engine.remove')}>
            <span className="max-sm:hidden">{t('engine.remove')}</span>
          </Button>
        )
      }
    >
      <div className="max-w-3xl">
        <QueryView
          query={query}
          failed={t('engine.load_failed')}
          loading={<SkeletonRows rows={3} className="h-24 rounded-lg" />}
        >
          {(ai) => (
            <div className="space-y-5">
              <InForce ai={ai} />
              {ai.source === 'environment' && ai.engine !== null ? (
                <EngineFacts engine={ai.engine} />
              ) : (
                // Remounted for another engine: typed values belong to the engine they were typed for.
                <EngineForm key={ai.source} engine={ai.engine} />
              )}
            </div>
          )}
        </QueryView>
      </div>
      {asking && (
        <ConfirmDialog
          title={t('engine.remove_title')}
          text={t('engine.remove_text')}
          verb={t('engine.remove')}
          danger
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </Page>
  )
}

function InForce({ ai }: { readonly ai: EngineState }) {
  if (ai.engine === null) {
    return (
      <div>
        <Status tone="info" label={t('engine.none')} />
        <p className="text-muted mt-1">{t('engine.none_text')}</p>
      </div>
    )
  }
  return (
    <div>
      <Status
        tone="ok"
        label={t('engine.in_force', { model: ai.engine.model })}
        className="max-w-full whitespace-normal break-words"
      />
      {ai.updated_at !== null && (
        <p className="text-muted mt-1 text-sm">
          {t('engine.saved_by', { name: ai.updated_by ?? '' })} <RelativeTime at={ai.updated_at} />
        </p>
      )}
    </div>
  )
}
