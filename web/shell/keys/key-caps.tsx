import { Fragment } from 'react'
import { t } from '../../text/i18n.ts'
import { isMac } from './platform.ts'

const ARROWS: Record<string, string> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' }

/** The keys of a shortcut, labelled as on the keyboard. */
export function KeyCaps({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs text-muted">
      {keys.split(' ').map((step, index) => (
        <Fragment key={step}>
          {index > 0 && <span>{t('keys.then')}</span>}
          {step.split('+').map((key) => (
            <kbd
              key={key}
              className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line bg-sunken px-1.5 font-sans text-xs text-ink"
            >
              {capOf(key)}
            </kbd>
          ))}
        </Fragment>
      ))}
    </span>
  )
}

function capOf(key: string): string {
  if (key === 'mod') return isMac ? '⌘' : t('keys.cap_control')
  if (key === 'Alt') return isMac ? '⌥' : t('keys.cap_alt')
  if (key === 'Shift') return isMac ? '⇧' : t('keys.cap_shift')
  if (key === 'Escape') return t('keys.cap_escape')
  if (key === 'Enter') return t('keys.cap_enter')
  if (key === 'Delete') return t('rules.key_delete')
  return ARROWS[key] ?? key.toUpperCase()
}
