import { call } from '../client/api.ts'
import { toast } from '../parts/feedback/toast.tsx'
import { t } from '../text/i18n.ts'
import type { Routine, RoutineChange as Change } from './routines-query.ts'

/** What can be done with a routine besides changing it; each for `useRoutineChange`. */
export const routineActions = {
  runNow: ({ routine_id }: Routine): Change => ({
    run: async () => {
      const { outcome } = await call('POST /api/routines/{routine_id}/run', {
        params: { routine_id },
        headers: { 'idempotency-key': crypto.randomUUID() },
      })
      if (outcome === 'started') toast({ text: t('routines.ran'), tone: 'ok' })
      else toast({ text: t('routines.not_run', { why: t(`routines.outcome_${outcome ?? 'skipped'}`) }), tone: 'warn' })
    },
  }),
  pause: ({ routine_id }: Routine): Change => ({
    run: () => call('POST /api/routines/{routine_id}/pause', { params: { routine_id } }),
  }),
  resume: ({ routine_id }: Routine): Change => ({
    run: () => call('POST /api/routines/{routine_id}/resume', { params: { routine_id } }),
  }),
  remove: ({ routine_id, name }: Routine, after?: () => void): Change => ({
    run: () => call('DELETE /api/routines/{routine_id}', { params: { routine_id } }),
    done: t('routines.removed', { name }),
    ...(after && { after }),
  }),
}
