import { useQuery } from '@tanstack/react-query'
import { PackagePlus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useFileDrop } from '../uploads/use-file-drop.ts'
import { t } from '../text/i18n.ts'
import { AdminsOnly } from '../modules/admins-only.tsx'
import { additionsQuery } from '../modules/add/additions-query.ts'
import { AdditionsList } from '../modules/add/additions-list.tsx'
import type { RemoteServer } from '../modules/add/understand.ts'
import { UpdateCheck, UpdateOutcome } from '../modules/add/update-check.tsx'
import { DropHint } from '../modules/install/drop-hint.tsx'
import { InstallNotice } from '../modules/install/install-notice.tsx'
import { KitDownload } from '../modules/install/kit-download.tsx'
import { ModuleFilePicker } from '../modules/install/module-file-picker.tsx'
import { ModuleList } from '../modules/list/module-list.tsx'
import { ModulePolicySection } from '../modules/list/module-policy.tsx'
import { modulesQuery } from '../modules/list/module-queries.ts'
import { RemovedModules } from '../modules/list/removed-modules.tsx'
import { useInstall } from '../modules/install/use-install.ts'
import { Button } from '../parts/controls/button.tsx'
import { Page } from '../parts/layout/page.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'

const AddDialog = lazy(async () => ({ default: (await import('../modules/add/add-dialog.tsx')).AddDialog }))
const RemoteDialog = lazy(async () => ({ default: (await import('../modules/list/remote-dialog.tsx')).RemoteDialog }))

/** The module catalogue, for administrators: state of all modules, and ways to add one. */
export function ModulesPage() {
  return (
    <AdminsOnly title={t('nav.modules')}>
      <Catalogue />
    </AdminsOnly>
  )
}

function Catalogue() {
  const query = useQuery(modulesQuery)
  const install = useInstall()
  const additions = useQuery(additionsQuery)
  const [adding, setAdding] = useState(false)
  const [remote, setRemote] = useState<RemoteServer | null>(null)
  const over = useFileDrop(([file]) => {
    setAdding(false)
    if (file !== undefined) install.start(file)
  })
  const add = (): void => setAdding(true)
  const asked = additions.data?.registry != null || additions.data?.python_index != null
  return (
    <ModuleFilePicker onFile={install.start}>
      {(pick) => (
        <Page
          title={t('nav.modules')}
          actions={
            <>
              {asked && query.data?.some(({ source }) => source) && <UpdateCheck />}
              <Button variant="primary" icon={PackagePlus} onClick={add}>
                {t('modules.add')}
              </Button>
            </>
          }
        >
          <div className="space-y-8">
            <div>
              <div aria-live="polite" className="space-y-3 not-empty:mb-4">
                <InstallNotice install={install} />
                <AdditionsList />
                <UpdateOutcome />
              </div>
              <QueryView
                query={query}
                failed={t('modules.load_failed')}
                loading={<SkeletonRows rows={4} className="h-20 rounded-lg" />}
              >
                {(modules) => <ModuleList modules={modules} onAdd={add} />}
              </QueryView>
            </div>
            <RemovedModules />
            <ModulePolicySection />
            <KitDownload />
          </div>
          <Suspense>
            {remote !== null && <RemoteDialog given={remote} onClose={() => setRemote(null)} />}
            {adding && (
              <AddDialog
                onClose={() => setAdding(false)}
                onFile={() => {
                  setAdding(false)
                  pick()
                }}
                onRemote={(server) => {
                  setAdding(false)
                  setRemote(server)
                }}
              />
            )}
          </Suspense>
          {over && <DropHint />}
        </Page>
      )}
    </ModuleFilePicker>
  )
}
