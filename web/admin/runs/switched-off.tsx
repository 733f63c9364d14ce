import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Power, PowerOff } from 'lucide-react'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { switchesQuery } from './runs-query.ts'

/** Tools and modules that are switched off: by whom, why, and an action to switch them on again. */
export function SwitchedOff({ onSwitchOff }: { onSwitchOff(): void }) {
  const query = useQuery(switchesQuery)
  const queryClient = useQueryClient()
  const on = useMutation({
    mutationFn: (subject: string) => call('PUT /api/admin/switches', { body: { subject, off: false } }),
    onSuccess: ({ items }) => {
      queryClient.setQueryData(switchesQuery.queryKey, items)
      toast({ text: t('switches.on_again'), tone: 'ok' })
      for (const key of ['tools', 'dashboard']) void queryClient.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toast({ text: `${t('switches.failed')}. ${explainError(error)}`, tone: 'danger' }),
  })
  return (
    <Section
      title={t('switches.title')}
      actions={
        <Button size="sm" icon={PowerOff} onClick={onSwitchOff}>
          {t('switches.switch_off')}
        </Button>
      }
    >
      <QueryView query={query} failed={t('switches.load_failed')} loading={<SkeletonRows rows={1} className="h-14" />}>
        {(items) => (
          <Panel>
            {items.length === 0 ? (
              <p className="text-muted px-4 py-3.5">{t('switches.empty')}</p>
            ) : (
              <ul className="divide-line divide-y">
                {items.map(({ subject, reason, by, at }) => (
                  <li key={subject} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
                    <div className="min-w-0 flex-1 basis-56">
                      <p className="break-words">
                        {subject.endsWith('.*') ? (
                          t('switches.module', { name: subject.slice(5, -2) })
                        ) : (
                          <code className="break-all">{subject.slice(5)}</code>
                        )}
                      </p>
                      <p className="text-muted text-sm break-words">
                        {by} · <RelativeTime at={at} />
                        {reason !== '' && ` · ${reason}`}
                      </p>
                    </div>
                    <Button
                      size="sm"
                      icon={Power}
                      busy={on.isPending && on.variables === subject}
                      onClick={() => on.mutate(subject)}
                    >
                      {t('switches.switch_on')}
                      <span className="sr-only"> {subject.slice(5)}</span>
                    </Button>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        )}
      </QueryView>
    </Section>
  )
}
