import { Plus, X } from 'lucide-react'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { t } from '../../text/i18n.ts'
import { nameOf, type ToolArgument } from './tool-arguments.ts'

interface ClosedWorldProps {
  /** What must stay as it is, because a condition compares it too. */
  readonly fixed: readonly ToolArgument[]
  /** What no condition speaks of and may not be anything. */
  readonly left: readonly ToolArgument[]
  /** Pointers of what may be anything. */
  readonly free: readonly string[]
  onFree(free: readonly string[]): void
}

/** What a rule that allows says of all other arguments: they stay as they are by default, or may be anything. */
export function ClosedWorld({ fixed, left, free, onFree }: ClosedWorldProps) {
  return (
    <div className="space-y-2 text-sm">
      {fixed.length + left.length > 0 && (
        <ul aria-label={t('condition.rest_title')} className="space-y-1">
          {fixed.map(({ at, fallback }) => (
            <li key={at} className="min-w-0 break-words">
              {t('condition.must_stay', { name: nameOf(at), value: JSON.stringify(fallback) })}
            </li>
          ))}
          {left.map(({ at, required, fallback }) => {
            const name = nameOf(at)
            return (
              <li
                key={at}
                className="flex flex-wrap items-center gap-x-3 sm:grid sm:grid-cols-[minmax(0,18rem)_auto] sm:justify-start"
              >
                <span className={required ? 'text-danger min-w-0 break-words' : 'min-w-0 break-words'}>
                  {fallback !== undefined
                    ? t('condition.must_stay', { name, value: JSON.stringify(fallback) })
                    : t(required ? 'condition.must_be_named' : 'condition.must_be_absent', { name })}
                </span>
                <Button
                  size="sm"
                  variant="ghost"
                  icon={Plus}
                  className="justify-self-start"
                  onClick={() => onFree([...free, at])}
                >
                  {t('condition.let_free', { name })}
                </Button>
              </li>
            )
          })}
        </ul>
      )}
      {free.length > 0 && (
        <ul aria-label={t('condition.free_title')} className="flex flex-wrap items-center gap-1.5">
          {free.map((at) => (
            <li key={at} className="border-line flex items-center gap-1 rounded-md border ps-2">
              {t('condition.is_free', { name: nameOf(at) })}
              <IconButton
                label={t('condition.remove', { name: nameOf(at) })}
                icon={X}
                size="sm"
                onClick={() => onFree(free.filter((one) => one !== at))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
