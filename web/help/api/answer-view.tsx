import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatBytes, formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Received } from './send-request.ts'

interface AnswerViewProps {
  readonly received: Received
  /** Name of the file that the response is saved as. */
  readonly name: string
}

/** The server's response: status, time, headers, and its text or file. */
export function AnswerView({ received, name }: AnswerViewProps) {
  const { status, statusText, headers, milliseconds, text, cut, file, mediaType } = received
  return (
    <section aria-label={t('api.answer')} className="space-y-3">
      <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status
          pill
          tone={status === 0 ? 'info' : status < 300 ? 'ok' : status < 400 ? 'info' : 'danger'}
          label={status === 0 ? t('api.redirect') : `${status} ${statusText}`.trim()}
        />
        <span className="text-muted text-sm">{formatDuration(milliseconds)}</span>
        <span className="text-muted text-sm break-all">{mediaType}</span>
      </p>
      {cut && <Notice tone="info">{t('api.cut')}</Notice>}
      {file !== null && <SavedFile file={file} name={name} />}
      {text !== '' && <CodeBlock code={pretty(text, mediaType)} language={mediaType.includes('json') ? 'json' : ''} />}
      {headers.length > 0 && (
        <details>
          <summary className="text-muted hover:text-ink text-sm">{t('api.headers')}</summary>
          <dl className="mt-2 grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_1fr]">
            {headers.map(([header, value]) => (
              <div key={header} className="contents">
                <dt className="text-muted font-mono">{header}</dt>
                <dd className="font-mono break-all">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  )
}

function SavedFile({ file, name }: { readonly file: Blob; readonly name: string }) {
  const [address, setAddress] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return (
    <a href={address} download={name} className="text-accent inline-flex items-center gap-2 font-medium underline">
      <Download aria-hidden className="size-4" />
      {t('api.save_file', { size: formatBytes(file.size) })}
    </a>
  )
}

function pretty(text: string, mediaType: string): string {
  if (!mediaType.includes('json')) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
