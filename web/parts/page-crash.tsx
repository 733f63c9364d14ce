import { t } from '../i18n.ts'
import { Button } from './button.tsx'
import { ErrorNotice } from './error-notice.tsx'

/** Instead of a page that threw, or whose code could not be loaded (a new version was installed meanwhile). */
export function PageCrash({ error }: { error: unknown }) {
  return (
    <main className="mx-auto max-w-xl px-4 py-16">
      <ErrorNotice title={t('app.crashed')} error={error} />
      <Button className="mt-4" onClick={() => window.location.reload()}>
        {t('app.reload')}
      </Button>
    </main>
  )
}
