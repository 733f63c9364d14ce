import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { parsePrompt } from '../../contract/variables.ts'
import { t } from '../text/i18n.ts'

// Passed as values, because a catalogue text cannot contain braces.
const EXAMPLES = {
  text: '{{name}}',
  number: '{{count:number}}',
  date: '{{day:date}}',
  host: '{{machine:host}}',
  choice: '{{size:choice(small|large)}}',
}

/** The variables that a prompt asks for, with their types, and text that looks like a variable but is not. */
export function PromptVariables({ prompt }: { readonly prompt: string }) {
  const { variables, problems } = useMemo(() => parsePrompt(prompt), [prompt])
  return (
    <div className="space-y-1.5">
      {variables.length === 0 && problems.length === 0 && <p>{t('commands.variables_help', EXAMPLES)}</p>}
      {variables.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5">
          <span>{t('commands.variables_found')}</span>
          {variables.map(({ name, type, options }) => (
            <span
              key={name}
              className="inline-flex max-w-full items-baseline gap-1.5 rounded-md border border-line bg-surface px-1.5 text-ink"
            >
              <code className="truncate text-sm">{name}</code>
              <span className="truncate text-xs text-muted">
                {type === 'choice' ? options.join(' · ') : t(`commands.type_${type}`)}
              </span>
            </span>
          ))}
        </p>
      )}
      {problems.map(({ code, name, from }) => (
        <p key={from} className="flex items-start gap-1.5 text-warn">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">{t(`commands.problem_${code}`, { name })}</span>
        </p>
      ))}
    </div>
  )
}
