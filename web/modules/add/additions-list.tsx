import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ModuleAddition } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { announce } from '../../parts/feedback/announcer.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Progress } from '../../parts/feedback/progress.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { additionsQuery, begunQuery, updatesQuery } from './additions-query.ts'

/**
 * Modules on their way, and how those ended that were seen on it or begun in this window. Of the latter, one that arrives
 * before the eyes of whoever began it opens its review.
 */
export function AdditionsList() {
  const { data } = useQuery(additionsQuery)
  const begun = useQuery(begunQuery).data
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const [told, setTold] = useState<ReadonlySet<string>>(new Set())
  const opened = useRef(new Set<string>())
  const items = data?.items ?? []
  const running = items.filter(({ state }) => state === 'running')
  const fresh = running.filter(({ addition_id }) => !seen.has(addition_id))
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh.map(({ addition_id }) => addition_id)]))
  const ended = items.filter(
    ({ state, addition_id: id }) =>
      state !== 'running' && state !== 'cancelled' && !told.has(id) && (seen.has(id) || begun.includes(id)),
  )
  const arrived = ended.filter(({ module }) => module !== null).map(({ addition_id }) => addition_id)
  const toOpen = ended.find(({ module, addition_id: id }) => module !== null && seen.has(id) && begun.includes(id))
  const tell = (id: string): void => {
    setTold((before) => new Set([...before, id]))
    queryClient.setQueryData(begunQuery.queryKey, (before = []) => before.filter((one) => one !== id))
  }
  const open = ({ addition_id, module }: ModuleAddition): void => {
    tell(addition_id)
    if (module !== null) void navigate({ to: '/modules/$name', params: { name: module }, search: { review: true } })
  }
  const arrivals = arrived.join(' ')
  useEffect(() => {
    if (arrivals === '') return
    void queryClient.invalidateQueries({ queryKey: ['modules', 'catalog'] })
    void queryClient.invalidateQueries({ queryKey: ['modules', 'one'] })
    queryClient.removeQueries({ queryKey: updatesQuery.queryKey })
  }, [arrivals, queryClient])
  useEffect(() => {
    if (toOpen === undefined || opened.current.has(toOpen.addition_id)) return
    opened.current.add(toOpen.addition_id)
    // The review that opens says it in its title, which a toast would cover.
    announce(t('modules.add_done', { source: toOpen.source }))
    open(toOpen)
  })
  return (
    <>
      {running.map((addition) => (
        <RunningAddition key={addition.addition_id} addition={addition} />
      ))}
      {ended.map((addition) => {
        const { addition_id, source, problem, module } = addition
        return (
          <Notice
            key={addition_id}
            tone={module === null ? 'danger' : 'ok'}
            title={t(module === null ? 'modules.add_not_done' : 'modules.add_done', { source })}
            actions={
              <>
                {module !== null && (
                  <Button size="sm" onClick={() => open(addition)}>
                    {t('modules.review')}
                  </Button>
                )}
                <Button size="sm" variant="ghost" onClick={() => tell(addition_id)}>
                  {t('toast.close')}
                </Button>
              </>
            }
          >
            {module === null ? (problem ?? t('modules.add_ended')) : undefined}
          </Notice>
        )
      })}
    </>
  )
}

function RunningAddition({ addition }: { readonly addition: ModuleAddition }) {
  const { addition_id, source, step, done, total } = addition
  const queryClient = useQueryClient()
  const [stopping, setStopping] = useState(false)
  const label = step === 'installing' ? t('modules.install_checking') : t(`modules.step_${step}`)
  const cancel = async (): Promise<void> => {
    setStopping(true)
    try {
      await call('POST /api/module-additions/{addition_id}/cancel', { params: { addition_id } })
    } catch (error) {
      toast({ text: explainError(error), tone: 'danger' })
    } finally {
      await queryClient.invalidateQueries({ queryKey: additionsQuery.queryKey })
      setStopping(false)
    }
  }
  return (
    <Panel className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 break-words">
          <span className="font-medium break-all">{source}</span> <span className="text-muted text-sm">{label}</span>
        </p>
        <Button size="sm" busy={stopping} onClick={() => void cancel()}>
          {t('action.cancel')}
        </Button>
      </div>
      <Progress label={label} value={step === 'fetching' && total > 0 ? done / total : undefined} />
    </Panel>
  )
}
