import { useId } from 'react'
import { closeOverlay } from '../frame/overlay.ts'
import { t } from '../../text/i18n.ts'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { KeyCaps } from './key-caps.tsx'
import { isSingleKey, SHORTCUTS } from './shortcuts.ts'
import { setSingleKeys, useSingleKeys } from './single-keys.ts'

/** All shortcuts, and the switch for single-key ones. */
export function KeyboardMap() {
  const on = useSingleKeys()
  const hintId = useId()
  return (
    <Dialog open onOpenChange={(open) => open || closeOverlay()} title={t('keys.title')}>
      {(['everywhere', 'chat'] as const).map((where) => (
        <section key={where} className="mb-4">
          <h3 className="mb-1 text-sm font-medium text-muted">{t(`keys.where_${where}`)}</h3>
          <dl className="divide-y divide-line">
            {SHORTCUTS.filter((shortcut) => shortcut.where === where).map((shortcut) => {
              const off = !on && isSingleKey(shortcut)
              return (
                <div key={shortcut.id} className="flex min-h-9 items-center gap-4 py-1">
                  <dt className="min-w-0 flex-1">
                    {t(shortcut.text)}
                    {off && <span className="text-sm text-muted">{` (${t('keys.off')})`}</span>}
                  </dt>
                  <dd>
                    <KeyCaps keys={shortcut.keys} />
                  </dd>
                </div>
              )
            })}
          </dl>
        </section>
      ))}
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
