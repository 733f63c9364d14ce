import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PromptPart } from '../../../contract/prompt-seen.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'

/** The last prompt of a run, part by part in the order in which the engine read it, each with its size. */
export function RunPrompt({ runId }: { readonly runId: string }) {
  const prompt = useQuery({
    queryKey: ['run-prompt', runId],
    queryFn: ({ signal }) => call('GET /api/chat/runs/{run_id}/prompt', { params: { run_id: runId }, signal }),
  })
  return (
    <section>
      <div className="mt-5 mb-1.5 flex items-baseline gap-3">
        <h3 className="flex-1 font-medium">{t('chat.prompt')}</h3>
        {prompt.data?.recorded && <Size tokens={prompt.data.tokens} />}
      </div>
      {prompt.isPending && <SkeletonRows rows={4} className="h-9" />}
      {prompt.isError && (
        <ErrorNotice title={t('chat.prompt_failed')} error={prompt.error} onRetry={() => void prompt.refetch()} />
      )}
      {prompt.data?.recorded === false && <p className="text-muted">{t('chat.prompt_none')}</p>}
      {prompt.data?.recorded && (
        <>
          <ol className="divide-y divide-line rounded-lg border border-line">
            {prompt.data.parts.map((part, index) => (
              <li key={index}>
                <Part part={part} />
              </li>
            ))}
          </ol>
          <p className="mt-1.5 text-sm text-muted">
            {[
              prompt.data.more && t('chat.prompt_more'),
              prompt.data.shortened && t('chat.prompt_shortened'),
              t('chat.prompt_estimated'),
            ]
              .filter(Boolean)
              .join(' ')}
          </p>
        </>
      )}
    </section>
  )
}

function Part({ part }: { readonly part: PromptPart }) {
  switch (part.kind) {
    case 'system':
    case 'personal':
    case 'summary':
      return (
        <Fold name={t(`chat.prompt_${part.kind}`)} gist={part.text} tokens={part.tokens}>
          <Text text={part.text} cut={part.cut} />
        </Fold>
      )
    case 'tools':
      return (
        <Fold
          name={t('chat.prompt_tools', { count: part.count })}
          gist={part.tools.map(({ name }) => name).join(', ')}
          tokens={part.tokens}
        >
          <ul className="max-h-64 overflow-y-auto text-sm" tabIndex={0}>
            {part.tools.map(({ name, tokens }) => (
              <li key={name} className="flex gap-3">
                <code className="min-w-0 flex-1 break-all">{name}</code>
                <Size tokens={tokens} />
              </li>
            ))}
          </ul>
        </Fold>
      )
    case 'left_out':
      return <p className="px-3 py-2 text-sm text-warn">{t('chat.prompt_left_out', { count: part.count })}</p>
    case 'message':
      return (
        <Fold
          name={t(part.role === 'user' ? 'chat.from_you' : 'chat.from_assistant')}
          gist={part.text || part.calls.map(({ name }) => name).join(', ')}
          tokens={part.tokens}
        >
          {part.text !== '' && <Text text={part.text} cut={part.cut} />}
          {part.files.map(({ name, tokens }, index) => (
            <p key={index} className="flex gap-3 text-sm">
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {tokens !== null && <Size tokens={tokens} />}
            </p>
          ))}
          {part.calls.map((made, index) => (
            <div key={index} className="space-y-1.5">
              <p className="text-sm font-medium break-all">{made.name}</p>
              <CodeBlock code={made.arguments} language={t('chat.tool_arguments')} wrap />
              <CodeBlock code={made.result} language={t('chat.tool_result')} wrap />
              {made.cut && <Cut />}
            </div>
          ))}
        </Fold>
      )
  }
}

interface FoldProps {
  readonly name: string
  /** The beginning of what is folded. */
  readonly gist: string
  readonly tokens: number
  readonly children: ReactNode
}

function Fold({ name, gist, tokens, children }: FoldProps) {
  return (
    <details className="group/fold">
      <summary className="flex list-none items-center gap-2 px-3 py-2 hover:bg-hover focus-visible:-outline-offset-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted transition-transform duration-100 group-open/fold:rotate-90"
        />
        <span className="shrink-0 font-medium">{name}</span>
        <span className="min-w-0 flex-1 truncate text-sm text-muted">{gist.slice(0, 200)}</span>
        <Size tokens={tokens} />
      </summary>
      <div className="space-y-3 px-3 pb-3">{children}</div>
    </details>
  )
}

function Text({ text, cut }: { readonly text: string; readonly cut: boolean }) {
  return (
    <>
      <p dir="auto" className="max-h-64 overflow-y-auto text-sm wrap-anywhere whitespace-pre-wrap" tabIndex={0}>
        {text}
      </p>
      {cut && <Cut />}
    </>
  )
}

function Cut() {
  return <p className="text-sm text-muted">{t('chat.prompt_cut')}</p>
}

function Size({ tokens }: { readonly tokens: number }) {
  return (
    <span className="shrink-0 text-sm whitespace-nowrap text-muted tabular-nums">
      {t('chat.prompt_size', { tokens })}
    </span>
  )
}
