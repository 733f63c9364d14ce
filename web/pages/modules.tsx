import { useQuery } from '@tanstack/react-query'
import { Globe, Upload } from 'lucide-react'
import { useState } from 'react'
import { useFileDrop } from '../chat/use-file-drop.ts'
import { t } from '../i18n.ts'
import { AdminsOnly } from '../modules/admins-only.tsx'
import { DropHint } from '../modules/drop-hint.tsx'
import { InstallNotice } from '../modules/install-notice.tsx'
import { KitDownload } from '../modules/kit-download.tsx'
import { ModuleFilePicker } from '../modules/module-file-picker.tsx'
import { ModuleList } from '../modules/module-list.tsx'
import { ModulePolicySection } from '../modules/module-policy.tsx'
import { modulesQuery } from '../modules/module-queries.ts'
import { RemoteDialog } from '../modules/remote-dialog.tsx'
import { RemovedModules } from '../modules/removed-modules.tsx'
import { useInstall } from '../modules/use-install.ts'
import { Button } from '../parts/button.tsx'
import { Page } from '../parts/page.tsx'
import { QueryView } from '../parts/query-view.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'

/** The catalogue of modules, for administrators: how they are doing, and the ways to get another one. */
export function ModulesPage() {
  return (
    <AdminsOnly title={t('modules.title')}>
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
          title={t('modules.title')}
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
