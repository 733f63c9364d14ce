import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Progress } from '../../parts/feedback/progress.tsx'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { useInstall } from './use-install.ts'

/** A bundle being uploaded, or why it was refused. */
export function InstallNotice({ install }: { readonly install: ReturnType<typeof useInstall> }) {
  const { state } = install
  if (state.step === 'none') return null
  const { file } = state
  if (state.step === 'failed') {
    return (
      <ErrorNotice
        title={t('modules.install_failed', { file: file.name })}
        error={state.error}
        className="whitespace-pre-line"
        onRetry={() => install.start(file)}
        advice={
          <span className="mt-2 flex flex-wrap gap-2">
            {state.olderOffered && (
              <Button size="sm" onClick={() => install.start(file, true)}>
                {t('modules.install_older')}
              </Button>
            )}
            <Button size="sm" variant="ghost" onClick={install.dismiss}>
              {t('toast.close')}
            </Button>
          </span>
        }
      />
    )
  }
  const arrived = state.share >= 1
  return (
    <Panel className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <p className="min-w-0 break-words">
          <span className="font-medium">{file.name}</span>{' '}
          <span className="text-muted text-sm">
            {formatBytes(file.size)} · {t(arrived ? 'modules.install_checking' : 'modules.install_uploading')}
          </span>
        </p>
        {!arrived && (
          <Button size="sm" onClick={install.cancel}>
            {t('action.cancel')}
          </Button>
        )}
      </div>
      <Progress
        label={t(arrived ? 'modules.install_checking' : 'modules.install_uploading')}
        value={arrived ? undefined : state.share}
      />
    </Panel>
  )
}
