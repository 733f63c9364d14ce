import { t } from '../../text/i18n.ts'
import { Button } from '../controls/button.tsx'
import { ErrorNotice } from '../feedback/error-notice.tsx'

/** Replaces the frame, or a page outside it. */
export function FrameCrash({ error }: { error: unknown }) {
  return (
    <main>
      <PageCrash error={error} />
    </main>
  )
}

/** Replaces a page of the frame that threw or whose code failed to load (a new version was installed in the meantime). */
export function PageCrash({ error }: { error: unknown }) {
  return (
    <div className="mx-auto max-w-xl px-4 py-16">
      <ErrorNotice title={t('app.crashed')} error={error} />
      <Button className="mt-4" onClick={() => window.location.reload()}>
        {t('app.reload')}
      </Button>
    </div>
  )
}
