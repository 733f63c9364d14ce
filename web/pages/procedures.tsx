import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft, SearchX, Upload } from 'lucide-react'
import { useRef } from 'react'
import type { Procedure } from '../../contract/procedure-values.ts'
import { ApiError } from '../client/api-error.ts'
import { Button } from '../parts/controls/button.tsx'
import { HiddenFileInput } from '../parts/controls/hidden-file-input.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { importProcedureFile } from '../procedures/procedure-file.ts'
import { ProcedureList } from '../procedures/procedure-list.tsx'
import { ProcedureView } from '../procedures/procedure-view.tsx'
import { procedureQuery, proceduresQuery } from '../procedures/procedures-query.ts'
import { useProcedureChange } from '../procedures/use-procedure-change.ts'
import { t } from '../text/i18n.ts'

/** The list of procedures. */
export function ProceduresPage() {
  const query = useQuery(proceduresQuery)
  const picker = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  const change = useProcedureChange<{ procedure: Procedure }>()
  return (
    <Page
      title={t('nav.procedures')}
      actions={
        <Button icon={Upload} aria-label={t('procedures.import')} onClick={() => picker.current?.click()}>
          <span className="max-sm:hidden">{t('procedures.import')}</span>
        </Button>
      }
    >
      <HiddenFileInput
        ref={picker}
        accept=".json,application/json"
        label={t('procedures.import')}
        onFile={(file) =>
          change.mutate({
            run: () => importProcedureFile(file),
            after: ({ procedure }) => void navigate({ to: '/procedures/$id', params: { id: procedure.procedure_id } }),
          })
        }
      />
      <div className="space-y-4">
        {change.isError && <ErrorNotice title={t('procedures.not_imported')} error={change.error} />}
        <QueryView
          query={query}
          failed={t('procedures.load_failed')}
          loading={<SkeletonRows rows={4} className="h-14 rounded-lg" />}
        >
          {({ items }) => <ProcedureList items={items} />}
        </QueryView>
      </div>
    </Page>
  )
}

/** One procedure. */
export function ProcedurePage() {
  const { id } = useParams({ from: '/app/procedures/$id' })
  const { version, edit } = useSearch({ from: '/app/procedures/$id' })
  const query = useQuery(procedureQuery(id))
  const gone = query.error instanceof ApiError && query.error.code === 'not_found'
  return (
    <Page
      title={query.data?.procedure.name ?? t('nav.procedures')}
      lead={
        <Link to="/procedures" aria-label={t('action.back')} className="text-muted hover:text-ink -ms-1 p-1">
          <ArrowLeft aria-hidden className="size-5" />
        </Link>
      }
    >
      {gone ? (
        <Panel>
          <EmptyState icon={SearchX} title={t('procedures.gone')} text={t('procedures.gone_text')} />
        </Panel>
      ) : (
        <QueryView
          query={query}
          failed={t('procedures.load_failed')}
          loading={<SkeletonRows rows={5} className="h-14 rounded-lg" />}
        >
          {(detail) => <ProcedureView detail={detail} shown={version ?? null} editing={edit === true} />}
        </QueryView>
      )}
    </Page>
  )
}
