import { type ReactNode, useId } from 'react'
import { closeOverlay } from '../frame/overlay.ts'
import { t } from '../../text/i18n.ts'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { GRID_KEYS } from './grid-keys.ts'
import { KeyCaps } from './key-caps.tsx'
import { isSingleKey, SHORTCUTS } from './shortcuts.ts'
import { setSingleKeys, useSingleKeys } from './single-keys.ts'

/** All shortcuts, the keys of the grid of rules, and the switch for single-key ones. */
export function KeyboardMap() {
  const on = useSingleKeys()
  const hintId = useId()
  return (
    <Dialog open onOpenChange={(open) => open || closeOverlay()} title={t('keys.title')}>
      {(['everywhere', 'chat'] as const).map((where) => (
        <Keys key={where} title={t(`keys.where_${where}`)}>
          {SHORTCUTS.filter((shortcut) => shortcut.where === where).map((shortcut) => (
            <Line key={shortcut.id} text={t(shortcut.text)} off={!on && isSingleKey(shortcut)} keys={[shortcut.keys]} />
          ))}
        </Keys>
      ))}
      <Keys title={t('keys.where_rules')}>
        {GRID_KEYS.map(({ text, keys }) => (
          <Line key={text} text={t(text)} off={false} keys={keys} />
        ))}
      </Keys>
      <label className="flex cursor-pointer items-start gap-3 rounded-lg border border-line px-3 py-2.5">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          aria-describedby={hintId}
          onChange={(event) => setSingleKeys(event.target.checked)}
          className="mt-1 size-4 shrink-0 accent-(--accent)"
        />
        <span>
          <span className="block font-medium">{t('keys.single')}</span>
          <span id={hintId} className="block text-sm text-muted">
            {t('keys.single_hint')}
          </span>
        </span>
      </label>
    </Dialog>
  )
}

function Keys({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="mb-4">
      <h3 className="mb-1 text-sm font-medium text-muted">{title}</h3>
      <dl className="divide-y divide-line">{children}</dl>
    </section>
  )
}

interface LineProps {
  readonly text: string
  readonly off: boolean
  readonly keys: readonly string[]
}

function Line({ text, off, keys }: LineProps) {
  return (
    <div className="flex min-h-9 items-center gap-4 py-1">
      <dt className="min-w-0 flex-1">
        {text}
        {off && <span className="text-sm text-muted">{` (${t('keys.off')})`}</span>}
      </dt>
      <dd className="flex gap-1">
        {keys.map((one) => (
          <KeyCaps key={one} keys={one} />
        ))}
      </dd>
    </div>
  )
}
