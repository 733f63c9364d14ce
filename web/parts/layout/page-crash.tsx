import { t } from '../../text/i18n.ts'
import { Button } from '../controls/button.tsx'
import { ErrorNotice } from '../feedback/error-notice.tsx'

/** Replaces a page that threw or whose code failed to load (a new version was installed in the meantime). */
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
