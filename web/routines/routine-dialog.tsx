import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ROUTINE_DEFAULTS } from '../../contract/routine-limits.ts'
import type { ProcedureWork, RoutineWork } from '../../contract/routine-values.ts'
import { call } from '../client/api.ts'
import { queryClient } from '../client/query-client.ts'
import { toolsQuery } from '../client/queries.ts'
import { Button } from '../parts/controls/button.tsx'
import { CheckField } from '../parts/controls/check-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { FormDialog } from '../parts/layout/form-dialog.tsx'
import { closeOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { ownZone } from '../text/own-zone.ts'
import { EngineField } from './engine-field.tsx'
import { type Limits, LimitsField } from './limits-field.tsx'
import { TimesList } from './next-times.tsx'
import { ProcedureField } from './procedure-field.tsx'
import type { Routine } from './routines-query.ts'
import { cronOf, draftOf, type ScheduleDraft } from './schedule-draft.ts'
import { ScheduleField } from './schedule-field.tsx'
import { defaultScope } from './scope-draft.ts'
import { ScopeField } from './scope-field.tsx'

interface RoutineDialogProps {
  /** Null: a new one. */
  readonly routine: Routine | null
  /** What a new one begins with. */
  readonly name?: string
  readonly text?: string
  /** Instead of a message, or of what the routine runs so far. */
  readonly procedure?: ProcedureWork
  /** All that it may use, as subjects; left out: what it may so far, and of a new one all that only reads. */
  readonly scope?: readonly string[]
}

interface Fields {
  readonly name: string
  readonly work: RoutineWork
  readonly scope: readonly string[]
  readonly schedule: ScheduleDraft
  readonly report: boolean
  readonly limits: Limits
}

/** Saves a routine, and then says when it will run. */
export function RoutineDialog(props: RoutineDialogProps) {
  const tools = useQuery(toolsQuery)
  const [saved, setSaved] = useState<Routine | null>(null)
  const title = t(props.routine === null ? 'routines.add' : 'routines.edit')
  if (saved !== null) return <Saved routine={saved} />
  if (tools.data === undefined)
    return (
      <Dialog open onOpenChange={(open) => open || closeOverlay()} title={title} size="lg">
        {tools.isError ? (
          <ErrorNotice title={t('routines.load_failed')} error={tools.error} onRetry={() => void tools.refetch()} />
        ) : (
          <SkeletonRows rows={4} className="h-10" />
        )}
      </Dialog>
    )
  return <RoutineForm {...props} title={title} tools={tools.data.items} onSaved={setSaved} />
}

function RoutineForm({
  routine,
  name = '',
  text = '',
  procedure,
  scope,
  title,
  tools,
  onSaved,
}: RoutineDialogProps & {
  readonly title: string
  readonly tools: readonly { readonly module: string; readonly tool: string; readonly effect: string }[]
  onSaved(routine: Routine): void
}) {
  const [fields, setFields] = useState((): Fields => ({
    name: routine?.name ?? name,
    work: procedure ?? routine?.work ?? { kind: 'text' as const, text, engine: null },
    scope: scope ?? routine?.scope ?? defaultScope(tools, text),
    schedule:
      routine === null
        ? { ...draftOf(null, ownZone()), often: 'daily' as const }
        : draftOf(routine.schedule, ownZone()),
    report: routine?.report ?? false,
    limits: routine === null ? ROUTINE_DEFAULTS : limitsOf(routine),
  }))
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const change = (patch: Partial<Fields>): void => {
    setFields((before) => ({ ...before, ...patch }))
    setError(null)
  }
  const { work } = fields
  const ready =
    fields.name.trim() !== '' && (work.kind !== 'text' || work.text.trim() !== '') && isComplete(fields.schedule)
  const save = async (): Promise<void> => {
    setBusy(true)
    const cron = cronOf(fields.schedule)
    const body = {
      name: fields.name,
      scope: [...fields.scope],
      schedule: cron === null ? null : { cron, zone: fields.schedule.zone },
      report: fields.report,
      ...fields.limits,
    }
    try {
      const answer =
        routine === null
          ? await call('POST /api/routines', { body: { ...body, work } })
          : await call('PATCH /api/routines/{routine_id}', {
              params: { routine_id: routine.routine_id },
              body: { ...body, ...(work !== routine.work && { work }), revision: routine.revision },
            })
      onSaved(answer.routine)
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['routines'] })
    }
  }
  const onSubmit = (): void => {
    if (ready && !busy) void save()
  }
  return (
    <FormDialog
      title={title}
      size="lg"
      onClose={closeOverlay}
      onSubmit={onSubmit}
      busy={busy}
      disabled={!ready}
      className="space-y-5"
    >
      {error !== null && <ErrorNotice title={t('routines.not_saved')} error={error} />}
      <TextField
        label={t('routines.name')}
        value={fields.name}
        onChange={(next) => change({ name: next })}
        maxLength={80}
        autoComplete="off"
        autoFocus
      />
      {work.kind === 'procedure' ? (
        <ProcedureField work={work} scope={fields.scope} onChange={change} />
      ) : (
        <>
          <TextArea
            label={t('routines.message')}
            hint={t('routines.message_hint')}
            value={work.text}
            onChange={(next) => change({ work: { ...work, text: next } })}
            rows={4}
            spellCheck
          />
          <EngineField value={work.engine} onChange={(engine) => change({ work: { ...work, engine } })} />
        </>
      )}
      <ScheduleField value={fields.schedule} onChange={(schedule) => change({ schedule })} />
      <ScopeField scope={fields.scope} tools={tools} onChange={(next) => change({ scope: [...next] })} />
      <CheckField
        label={t('routines.report')}
        hint={t('routines.report_hint')}
        checked={fields.report}
        onChange={(report) => change({ report })}
      />
      <LimitsField value={fields.limits} onChange={(patch) => change({ limits: { ...fields.limits, ...patch } })} />
    </FormDialog>
  )
}

/** When it will run, as its owner's clocks say. */
function Saved({ routine }: { readonly routine: Routine }) {
  const { name, next, schedule, paused_by } = routine
  return (
    <Dialog
      open
      onOpenChange={(open) => open || closeOverlay()}
      title={t('routines.saved', { name })}
      actions={
        <Button variant="primary" onClick={closeOverlay}>
          {t('routines.done')}
        </Button>
      }
    >
      {schedule !== null && next.length > 0 ? (
        <TimesList times={next} zone={schedule.zone} />
      ) : (
        <p>{t(paused_by === null ? 'routines.saved_never' : 'routines.saved_paused')}</p>
      )}
    </Dialog>
  )
}

function isComplete(schedule: ScheduleDraft): boolean {
  return schedule.often === 'never' || cronOf(schedule) !== null
}

function limitsOf({ overlap, catch_up_s, run_limit_s, token_budget, call_budget, card_life_s }: Routine): Limits {
  return { overlap, catch_up_s, run_limit_s, token_budget, call_budget, card_life_s }
}
