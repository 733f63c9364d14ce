import { useIsMutating, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft, SearchX } from 'lucide-react'
import { ApiError } from '../client/api-error.ts'
import { useFileDrop } from '../uploads/use-file-drop.ts'
import { t } from '../text/i18n.ts'
import { AdminsOnly } from '../modules/admins-only.tsx'
import { AdditionsList } from '../modules/add/additions-list.tsx'
import { UpdateFound, useUpdateCheck } from '../modules/add/update-check.tsx'
import { DropHint } from '../modules/install/drop-hint.tsx'
import { InstallNotice } from '../modules/install/install-notice.tsx'
import { KeptRules } from '../modules/review/kept-rules.tsx'
import { ModuleFilePicker } from '../modules/install/module-file-picker.tsx'
import { ModuleConnection } from '../modules/overview/module-connection.tsx'
import { ModuleHeader } from '../modules/overview/module-header.tsx'
import { ModuleMenu } from '../modules/overview/module-menu.tsx'
import { moduleQuery, moduleSettingsQuery } from '../modules/list/module-queries.ts'
import { ModuleTabs } from '../modules/overview/module-tabs.tsx'
import { ownGrants } from '../modules/review/own-grants.ts'
import { ReviewDialog } from '../modules/review/review-dialog.tsx'
import { uninstallKey } from '../modules/overview/uninstall-dialog.tsx'
import { useInstall } from '../modules/install/use-install.ts'
import { useModuleChange } from '../modules/list/use-module-change.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Page } from '../parts/layout/page.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'

const FOLLOW_MS = 2000

/** One module, for administrators: its state, tabs and actions. */
export function ModulePage() {
  const { name } = useParams({ from: '/app/modules/$name' })
  return (
    <AdminsOnly title={t('nav.modules')}>
      <OneModule key={name} name={name} />
    </AdminsOnly>
  )
}

function OneModule({ name }: { readonly name: string }) {
  const { tab, review } = useSearch({ from: '/app/modules/$name' })
  // A module being removed can no longer be read.
  const enabled = useIsMutating({ mutationKey: uninstallKey(name) }) === 0
  // No event reports log lines, so the log is polled, but only while it is shown.
  const query = useQuery({ ...moduleQuery(name), enabled, refetchInterval: tab === 'log' ? FOLLOW_MS : false })
  const settings = useQuery({ ...moduleSettingsQuery(name), enabled })
  const navigate = useNavigate()
  const install = useInstall()
  const change = useModuleChange()
  const checkUpdates = useUpdateCheck(name)
  const over = useFileDrop(([file]) => {
    if (file !== undefined) install.start(file)
  })
  const module = query.data
  const grants = module && ownGrants(module.grants, settings.data, module.review)
  const goTo = (search: { tab?: string; review?: true }, replace = false): void =>
    void navigate({ to: '/modules/$name', params: { name }, search, replace })
  const missing = query.error instanceof ApiError && query.error.status === 404
  return (
    <ModuleFilePicker onFile={install.start}>
      {(pick) => (
        <Page
          title={module?.display_name ?? name}
          lead={
            <Link
              to="/modules"
              aria-label={t('modules.back')}
              className="text-muted hover:bg-hover hover:text-ink -ml-2 inline-flex size-9 shrink-0 items-center justify-center rounded-md"
            >
              <ArrowLeft aria-hidden className="size-4" />
            </Link>
          }
          actions={
            module !== undefined &&
            grants !== undefined &&
            !missing && (
              <ModuleMenu
                module={module}
                grants={grants}
                change={change}
                onUpgrade={pick}
                onUpdates={checkUpdates}
                onReview={() => goTo({ tab, review: true })}
              />
            )
          }
        >
          <div aria-live="polite" className="space-y-3 not-empty:mb-4">
            <InstallNotice install={install} />
            {module?.source && <AdditionsList />}
            {module?.source && <UpdateFound name={name} />}
          </div>
          {missing ? (
            <EmptyState
              icon={SearchX}
              title={t('modules.not_found')}
              text={t('modules.not_found_text', { name })}
              actions={
                <Link to="/modules" className="text-accent underline underline-offset-2">
                  {t('modules.back')}
                </Link>
              }
            />
          ) : (
            <QueryView
              query={query}
              failed={t('modules.one_failed')}
              loading={<SkeletonRows rows={3} className="h-24 rounded-lg" />}
            >
              {(shown) => (
                <>
                  {change.isError && review !== true && (
                    <ErrorNotice
                      title={change.variables.failed}
                      error={change.error}
                      className="mb-4 whitespace-pre-line"
                    />
                  )}
                  <ModuleHeader
                    module={shown}
                    grants={grants ?? shown.grants}
                    change={change}
                    onReview={() => goTo({ tab, review: true })}
                    onSettings={() => goTo({ tab: 'settings' })}
                  />
                  <ModuleConnection module={shown} />
                  <KeptRules module={shown} change={change} />
                  <ModuleTabs
                    module={shown}
                    settings={settings}
                    change={change}
                    selected={tab ?? 'overview'}
                    onSelect={(next) => goTo(next === 'overview' ? {} : { tab: next })}
                  />
                  {review === true && shown.kind !== 'builtin' && !settings.isPending && (
                    <ReviewDialog
                      module={shown}
                      grants={grants ?? shown.grants}
                      fields={settings.data?.fields ?? []}
                      onSettings={() => goTo({ tab: 'settings' }, true)}
                      onClose={() => goTo({ tab }, true)}
                    />
                  )}
                </>
              )}
            </QueryView>
          )}
          {over && <DropHint />}
        </Page>
      )}
    </ModuleFilePicker>
  )
}
