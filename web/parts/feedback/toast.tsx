import { X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { classNames } from '../class-names.ts'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { TONES, type Tone } from './tone.ts'

export interface ToastOptions {
  text: string
  tone?: Tone
  /** For example undo. */
  action?: { label: string; onAction: () => void }
  /** Milliseconds; default 5,000, with an action 10,000. Pauses while pointed at or focused. */
  duration?: number
}

interface Shown extends ToastOptions {
  id: number
}
/** More at once would cover the page: the oldest is dropped. */
const MOST = 3
let shown: readonly Shown[] = []
let nextId = 1
const listeners = new Set<() => void>()

/** Shows a message for a few seconds, below the title: the message box and the buttons of a card are at the bottom. */
export function toast(options: ToastOptions): void {
  change([...shown.slice(1 - MOST), { ...options, id: nextId++ }])
}

function change(next: readonly Shown[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** The live region where toasts appear; once in the app. */
export function Toaster() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  const [paused, setPaused] = useState(false)
  return (
    <section
      aria-label={t('toast.region')}
      aria-live="polite"
      aria-relevant="additions"
      data-toasts
      // Usable above a modal dialog, which disables the rest of the page: its action can be undone here.
      className="pointer-events-auto fixed top-16 left-1/2 z-50 w-[min(26rem,calc(100vw-1.5rem))] -translate-x-1/2"
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <ol className="flex flex-col gap-2">
        {toasts.map((one) => (
          <OneToast key={one.id} toast={one} paused={paused} />
        ))}
      </ol>
    </section>
  )
}

function OneToast({
  toast: { id, text, tone = 'neutral', action, duration },
  paused,
}: {
  toast: Shown
  paused: boolean
}) {
  const time = duration ?? (action === undefined ? 5000 : 10_000)
  useEffect(() => {
    if (paused) return undefined
    const timer = setTimeout(() => dismiss(id), time)
    return () => clearTimeout(timer)
  }, [id, time, paused])
  const Icon = TONES[tone].icon
  return (
    <li className="animate-in bg-raised border-line flex items-center gap-3 rounded-lg border py-2 pr-2 pl-3.5 shadow-lg">
      {tone !== 'neutral' && <Icon aria-hidden className={classNames('size-4 shrink-0', TONES[tone].text)} />}
      <p className="min-w-0 flex-1 break-words">{text}</p>
      {action !== undefined && (
        <button
          type="button"
          className="text-accent hover:bg-hover h-8 shrink-0 rounded-md px-2.5 font-medium"
          onClick={() => {
            dismiss(id)
            action.onAction()
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton label={t('toast.close')} icon={X} size="sm" onClick={() => dismiss(id)} />
    </li>
  )
}

function dismiss(id: number): void {
  change(shown.filter((one) => one.id !== id))
}
