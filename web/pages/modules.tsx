import { useQuery } from '@tanstack/react-query'
import { Globe, Upload } from 'lucide-react'
import { useState } from 'react'
import { useFileDrop } from '../uploads/use-file-drop.ts'
import { t } from '../text/i18n.ts'
import { AdminsOnly } from '../modules/admins-only.tsx'
import { DropHint } from '../modules/install/drop-hint.tsx'
import { InstallNotice } from '../modules/install/install-notice.tsx'
import { KitDownload } from '../modules/install/kit-download.tsx'
import { ModuleFilePicker } from '../modules/install/module-file-picker.tsx'
import { ModuleList } from '../modules/list/module-list.tsx'
import { ModulePolicySection } from '../modules/list/module-policy.tsx'
import { modulesQuery } from '../modules/list/module-queries.ts'
import { RemoteDialog } from '../modules/list/remote-dialog.tsx'
import { RemovedModules } from '../modules/list/removed-modules.tsx'
import { useInstall } from '../modules/install/use-install.ts'
import { Button } from '../parts/controls/button.tsx'
import { Page } from '../parts/layout/page.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'

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
  const [adding, setAdding] = useState(false)
  const over = useFileDrop((files) => {
    const [file] = files
    if (file !== undefined) install.start(file)
  })
  return (
    <ModuleFilePicker onFile={install.start}>
      {(pick) => (
        <Page
          title={t('nav.modules')}
          actions={
            <>
              <Button icon={Globe} aria-label={t('modules.remote_add')} onClick={() => setAdding(true)}>
                <span className="max-sm:hidden">{t('modules.remote_add')}</span>
              </Button>
              <Button
                variant="primary"
                icon={Upload}
                onClick={pick}
                disabled={install.state.step === 'upload'}
                aria-label={t('modules.install')}
              >
                <span className="max-sm:hidden">{t('modules.install')}</span>
              </Button>
            </>
          }
        >
          <div className="space-y-8">
            <div>
              <div aria-live="polite" className="not-empty:mb-4">
                <InstallNotice install={install} />
              </div>
              <QueryView
                query={query}
                failed={t('modules.load_failed')}
                loading={<SkeletonRows rows={4} className="h-20 rounded-lg" />}
              >
                {(modules) => <ModuleList modules={modules} onInstall={pick} />}
              </QueryView>
            </div>
            <RemovedModules />
            <ModulePolicySection />
            <KitDownload />
          </div>
          {adding && <RemoteDialog onClose={() => setAdding(false)} />}
          {over && <DropHint />}
        </Page>
      )}
    </ModuleFilePicker>
  )
}
