import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Connection } from '../../contract/connections.ts'
import { formatDate } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'

interface ConnectionControlsProps {
  readonly title: ReactNode
  /** What it is called, for those who cannot see where the buttons are. */
  readonly name: string
  readonly connection: Pick<Connection, 'status' | 'issuer' | 'connected_at'>
  readonly problem: string | null
  /** Begins, and gives the address to go to. */
  connect(): Promise<{ url: string }>
  disconnect(): Promise<unknown>
  onChanged(): void
}

/** Whether a module is connected, and what can be done about it. */
export function ConnectionControls(props: ConnectionControlsProps) {
  const { title, name, connection, problem } = props
  const { status, issuer, connected_at: since } = connection
  const connect = useMutation({
    mutationFn: () => props.connect(),
    onSuccess: ({ url }) => window.location.assign(url),
  })
  const disconnect = useMutation({ mutationFn: () => props.disconnect(), onSettled: () => props.onChanged() })
  const busy = connect.isPending || connect.isSuccess
  return (
    <div className="space-y-3 px-4 py-3">
      {connect.isError && <ErrorNotice title={t('connections.connect_failed')} error={connect.error} />}
      {disconnect.isError && <ErrorNotice title={t('connections.disconnect_failed')} error={disconnect.error} />}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <p className="font-medium break-words">{title}</p>
          <p className="text-muted text-sm break-words">
            {status === 'connected' && issuer !== null && since !== null
              ? t('connections.connected', { issuer: hostOf(issuer), date: formatDate(since) })
              : t('connections.not_connected')}
          </p>
          {problem !== null && <p className="text-sm break-words">{problem}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          <Button
            size="sm"
            variant={status === 'connected' ? 'secondary' : 'primary'}
            busy={busy}
            disabled={busy || disconnect.isPending}
            onClick={() => connect.mutate()}
          >
            {t(status === 'never' ? 'connections.connect' : 'connections.connect_again')}
            <span className="sr-only"> {name}</span>
          </Button>
          {status !== 'never' && (
            <Button
              size="sm"
              busy={disconnect.isPending}
              disabled={busy || disconnect.isPending}
              onClick={() => disconnect.mutate()}
            >
              {t('connections.disconnect')}
              <span className="sr-only"> {name}</span>
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

function hostOf(issuer: string): string {
  return URL.parse(issuer)?.host ?? issuer
}
