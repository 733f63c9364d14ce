import { useMutation, useQuery } from '@tanstack/react-query'
import { Blocks, Play, Zap } from 'lucide-react'
import { useId } from 'react'
import type { PromptEntry } from '../../contract/prompts.ts'
import { useToMessageBox } from '../chat/composer/use-to-message-box.ts'
import { explainError } from '../client/explain-error.ts'
import { closeOverlay, openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { rank } from '../shell/palette/rank.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { fillModulePrompt, promptTemplate } from './fill-prompt.ts'
import { promptsQuery } from './prompts-query.ts'

/**
 * Module prompts below the user's own commands: use one or save it as a quick command. Renders nothing when there are
 * none.
 */
export function PromptGroup({ search }: { readonly search: string }) {
  const id = useId()
  const query = useQuery(promptsQuery)
  const words = search.trim().split(/\s+/)
  const found = (query.data?.items ?? []).filter(({ title, name, description, module_title }) =>
    words.every((word) => rank(`${title}\n${name}\n${description}\n${module_title}`, word) !== null),
  )
  if (query.isError) return <p className="px-2.5 py-2 text-sm text-muted">{t('prompts.load_failed')}</p>
  if (found.length === 0) return null
  return (
    <section aria-labelledby={id} className="mt-2 border-t border-line pt-1">
      <h3 id={id} className="flex min-h-8 items-center gap-2 px-2.5 pt-1 text-sm font-medium text-muted">
        <Blocks aria-hidden className="size-3.5" />
        {t('prompts.from_modules')}
      </h3>
      <ul>
        {found.map((entry) => (
          <PromptRow key={`${entry.module} ${entry.name}`} entry={entry} />
        ))}
      </ul>
    </section>
  )
}

function PromptRow({ entry }: { readonly entry: PromptEntry }) {
  const toMessageBox = useToMessageBox()
  const onError = (error: unknown): void =>
    toast({ tone: 'danger', text: `${t('prompts.no_text')}: ${explainError(error)}` })
  const insert = useMutation({
    mutationFn: () => fillModulePrompt(entry, {}),
    onSuccess: (text) => {
      closeOverlay()
      toMessageBox({ text, target: 'shown', send: false })
    },
    onError,
  })
  const save = useMutation({
    mutationFn: () => promptTemplate(entry),
    onSuccess: (prompt) => openOverlay({ kind: 'edit_command', command: null, prompt, back: true }),
    onError,
  })
  const busy = insert.isPending || save.isPending
  const use = (): void => (entry.arguments.length > 0 ? openOverlay({ kind: 'run_prompt', entry }) : insert.mutate())
  return (
    <li className="flex items-center gap-1 rounded-md pe-1 focus-within:bg-hover hover:bg-hover">
      <button
        type="button"
        disabled={busy}
        onClick={use}
        className="min-w-0 flex-1 rounded-md px-2.5 py-1.5 text-left focus-visible:-outline-offset-2"
      >
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 truncate font-medium">{entry.title}</span>
          <span className="shrink-0 text-xs text-muted">{entry.module_title}</span>
        </span>
        <span className="block truncate text-sm text-muted">{entry.description}</span>
      </button>
      <IconButton label={t('prompts.use', { name: entry.title })} icon={Play} size="sm" disabled={busy} onClick={use} />
      <IconButton
        label={t('prompts.save', { name: entry.title })}
        icon={Zap}
        size="sm"
        disabled={busy}
        onClick={() => save.mutate()}
      />
    </li>
  )
}
