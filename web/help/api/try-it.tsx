import { Play, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Progress } from '../../parts/feedback/progress.tsx'
import { AnswerView } from './answer-view.tsx'
import type { OpenApiDocument } from './openapi-document.ts'
import type { Operation } from './operations.ts'
import { type Received, sendRequest } from './send-request.ts'
import { TryFields } from './try-fields.tsx'
import { isJson, missingValues, tryRequestOf, type TryValues } from './try-values.ts'

interface TryItProps {
  readonly document: OpenApiDocument
  readonly operation: Operation
  readonly values: TryValues
  onValues(values: TryValues): void
}

/** Sends the request as the reader, with this browser's session. Requests that could change something ask first. */
export function TryIt({ document, operation, values, onValues }: TryItProps) {
  const [state, setState] = useState<'idle' | 'asking' | 'sending'>('idle')
  const [tried, setTried] = useState(false)
  const [live, setLive] = useState('')
  const [received, setReceived] = useState<Received | null>(null)
  const [error, setError] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const missing = missingValues(operation, values)
  const usable = missing.length === 0 && (operation.body?.kind !== 'json' || isJson(values.json))
  const send = async (): Promise<void> => {
    const request = tryRequestOf(operation, values)
    const abort = new AbortController()
    running.current = abort
    setState('sending')
    setError(null)
    setReceived(null)
    setLive('')
    const json = request.body !== null && 'json' in request.body
    const headers = json ? { 'Content-Type': 'application/json', ...request.headers } : request.headers
    const body =
      request.body === null ? undefined : 'json' in request.body ? request.body.json : (values.file ?? undefined)
    try {
      setReceived(await sendRequest({ ...request, headers }, body, abort.signal, setLive))
    } catch (failure) {
      if (!abort.signal.aborted) setError(failure)
    } finally {
      setState('idle')
    }
  }
  const press = (): void => {
    setTried(true)
    if (!usable) return
    if (operation.method === 'GET') void send()
    else setState('asking')
  }
  return (
    <div className="space-y-4">
      <TryFields document={document} operation={operation} values={values} onValues={onValues} tried={tried} />
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" icon={Play} onClick={press} busy={state === 'sending'}>
          {t('api.send')}
        </Button>
        {state === 'sending' && (
          <Button icon={Square} onClick={() => running.current?.abort()}>
            {t('api.stop')}
          </Button>
        )}
        <span role="status" className="text-muted text-sm">
          {tried && missing.length > 0 ? t('api.missing', { names: missing.join(', ') }) : ''}
        </span>
      </div>
      {state === 'sending' && (
        <>
          <Progress label={t('api.sending')} />
          {live !== '' && <pre className="bg-sunken max-h-80 overflow-auto rounded-md p-3 text-xs">{live}</pre>}
        </>
      )}
      {error !== null && <ErrorNotice title={t('api.send_failed')} error={error} onRetry={press} />}
      {received !== null && <AnswerView received={received} name={operation.id} />}
      {state === 'asking' && (
        <ConfirmDialog
          title={t('api.confirm_title', { method: operation.method })}
          text={
            <>
              <p>{t('api.confirm_text')}</p>
              <p className="mt-2 font-mono text-sm break-all">{`${operation.method} ${tryRequestOf(operation, values).path}`}</p>
            </>
          }
          verb={t('api.send')}
          danger={operation.method === 'DELETE'}
          onConfirm={() => void send()}
          onClose={() => setState('idle')}
        />
      )}
    </div>
  )
}
