import { t } from '../../../text/i18n.ts'
import type { Completed } from './resource-queries.ts'
import { useSuggestions } from './use-suggestions.ts'

const SHOWN = 8

interface SuggestionsProps {
  readonly completed: Completed
  /** The title of the module: what is suggested are its words. */
  readonly module: string
  /** The field has the focus, or had it last. */
  readonly wanted: boolean
  onChoose(value: string): void
}

/** Values that a module suggests for the field above: reached with Tab, and large enough for a finger. */
export function Suggestions({ completed, module, wanted, onChoose }: SuggestionsProps) {
  const values = useSuggestions(completed, wanted)
  if (values.length === 0) return null
  return (
    <ul
      aria-label={t('resources.suggestions', { name: completed.argument })}
      className="mt-1.5 flex flex-wrap items-center gap-1.5"
    >
      <li className="text-muted w-full truncate text-xs">{t('resources.suggested_by', { module })}</li>
      {values.slice(0, SHOWN).map((value) => (
        <li key={value} className="min-w-0">
          <button
            type="button"
            onClick={() => onChoose(value)}
            className="border-line bg-surface hover:bg-hover max-w-full truncate rounded-md border px-2 py-1 text-sm max-sm:py-2"
          >
            {value}
          </button>
        </li>
      ))}
    </ul>
  )
}
