import { ExternalLink } from 'lucide-react'
import type { Approval } from '../../contract/chat.ts'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { useArmed } from '../parts/controls/use-armed.ts'
import { decideOwn, useDecision } from './use-decision.ts'

interface QuestionAddressProps {
  readonly approval: Approval
  readonly url: string
  onDecided(approval: Approval): void
}

/**
 * An address that a module asks the user to open, in full, with its host emphasised. Only a click opens it; nothing is
 * loaded before.
 */
export function QuestionAddress({ approval, url, onDecided }: QuestionAddressProps) {
  const armed = useArmed()
  const decision = useDecision(approval, decideOwn, onDecided)
  const { protocol, host, hostname } = new URL(url)
  const web = protocol === 'https:' || protocol === 'http:'
  const before = url.indexOf(host)
  const waiting = decision.isPending ? decision.variables.decision : null
  const ready = armed && waiting === null && web
  return (
    <div className="space-y-3">
      {decision.isError && <ErrorNotice title={t('question.not_sent')} error={decision.error} />}
      <p className="text-muted">{t('question.address_text')}</p>
      <p className="rounded-md border border-line px-3 py-2 font-mono text-sm break-all">
        <span className="text-muted">{url.slice(0, before)}</span>
        <strong>{host}</strong>
        <span className="text-muted">{url.slice(before + host.length)}</span>
      </p>
      {/(^|\.)xn--/.test(hostname) && <Notice tone="warn">{t('question.other_letters')}</Notice>}
      {protocol === 'http:' && <Notice tone="warn">{t('question.not_encrypted')}</Notice>}
      <div className="flex flex-wrap gap-2">
        <a
          href={ready ? url : undefined}
          role="link"
          aria-disabled={!ready}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => ready && decision.mutate({ decision: 'approve' })}
          className={classNames(
            'inline-flex h-9 max-w-full items-center gap-2 rounded-md bg-accent px-3.5 font-medium text-on-accent hover:bg-accent-hover',
            !ready && 'opacity-55',
          )}
        >
          <ExternalLink aria-hidden className="size-4 shrink-0" />
          <span className="truncate">{t('question.open', { host })}</span>
        </a>
        <Button
          disabled={!armed || waiting !== null}
          busy={waiting === 'deny'}
          onClick={() => decision.mutate({ decision: 'deny' })}
        >
          {t('question.decline')}
        </Button>
      </div>
    </div>
  )
}
