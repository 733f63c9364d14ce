import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { CopyButton } from '../parts/controls/copy-button.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { ConfirmDialog } from '../parts/layout/confirm-dialog.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { HookDialog } from './hook-dialog.tsx'
import { type Hook, hooksQuery, type Routine, useRoutineChange } from './routines-query.ts'

/** Other programs that start the routine. */
export function HooksPart({ routine }: { readonly routine: Routine }) {
  const query = useQuery(hooksQuery(routine.routine_id))
  const [adding, setAdding] = useState(false)
  return (
    <Section
      title={t('routines.hooks')}
      actions={
        <Button size="sm" icon={Plus} onClick={() => setAdding(true)}>
          {t('routines.hook_add')}
        </Button>
      }
    >
      <QueryView query={query} failed={t('routines.load_failed')} loading={<SkeletonRows rows={1} className="h-14" />}>
        {(hooks) =>
          hooks.length === 0 ? (
            <p className="text-muted max-w-prose">{t('routines.hooks_none')}</p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {hooks.map((hook) => (
                  <HookRow key={hook.hook_id} routine={routine} hook={hook} />
                ))}
              </ul>
            </Panel>
          )
        }
      </QueryView>
      {adding && <HookDialog routine={routine} onClose={() => setAdding(false)} />}
    </Section>
  )
}

function HookRow({ routine, hook }: { readonly routine: Routine; readonly hook: Hook }) {
  const [removing, setRemoving] = useState(false)
  const change = useRoutineChange({ told: true })
  const { hook_id, kind, path, used_at } = hook
  const address = `${window.location.origin}${path}`
  return (
    <li className="flex items-start gap-2 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium">{t(`routines.hook_${kind}`)}</p>
        <p className="text-muted font-mono text-sm break-all">{address}</p>
        <p className="text-muted text-sm">
          {used_at === null ? (
            t('routines.hook_unused')
          ) : (
            <>
              {t('routines.hook_used')} <RelativeTime at={used_at} />
            </>
          )}
        </p>
      </div>
      <CopyButton label={t('routines.hook_copy')} text={address} />
      <IconButton label={t('routines.hook_remove')} icon={Trash2} size="sm" onClick={() => setRemoving(true)} />
      {removing && (
        <ConfirmDialog
          title={t('routines.hook_remove_title')}
          text={t('routines.hook_remove_text')}
          verb={t('routines.hook_remove')}
          danger
          onConfirm={() =>
            change.mutate({
              run: () =>
                call('DELETE /api/routines/{routine_id}/webhooks/{hook_id}', {
                  params: { routine_id: routine.routine_id, hook_id },
                }),
            })
          }
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  )
}
