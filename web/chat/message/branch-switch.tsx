import { ChevronLeft, ChevronRight } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'

interface BranchSwitchProps {
  /** Ids of the alternatives, oldest first. */
  readonly siblings: readonly string[]
  readonly shown: string
  /** Null: not at the moment. */
  readonly onChoose: ((messageId: string) => void) | null
}

/** Which of several alternatives is shown ("2 / 3"), with buttons for the others. */
export function BranchSwitch({ siblings, shown, onChoose }: BranchSwitchProps) {
  const at = siblings.indexOf(shown)
  const button = (step: -1 | 1) => {
    const other = siblings[at + step]
    return (
      <IconButton
        label={t(step === -1 ? 'chat.branch_previous' : 'chat.branch_next')}
        icon={step === -1 ? ChevronLeft : ChevronRight}
        size="sm"
        // Not `disabled`: at the last alternative, the button just pressed must keep the focus.
        aria-disabled={other === undefined || onChoose === null}
        className="aria-disabled:opacity-40"
        onClick={() => other !== undefined && onChoose?.(other)}
      />
    )
  }
  const place = { number: at + 1, count: siblings.length }
  return (
    <span role="group" aria-label={t('chat.branches')} className="inline-flex items-center text-muted">
      {button(-1)}
      <span className="text-xs tabular-nums">
        <span aria-hidden>
          {place.number} / {place.count}
        </span>
        <span className="sr-only">{t('chat.branch_place', place)}</span>
      </span>
      {button(1)}
    </span>
  )
}
