import type { RunMode } from '../../contract/commands.ts'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'

/** Same as in the contract, which cannot be loaded here without zod. */
const MODES: readonly RunMode[] = ['insert', 'send', 'new']

/** Chooses what running a command does: one of three modes, each explained. */
export function RunModeField({ value, onChange }: { readonly value: RunMode; onChange(value: RunMode): void }) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t('commands.mode')}</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {MODES.map((mode) => (
          <label
            key={mode}
            className={classNames(
              'flex cursor-pointer items-start gap-2.5 rounded-md border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-focus',
              mode === value ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong',
            )}
          >
            <input
              type="radio"
              name="run_mode"
              value={mode}
              checked={mode === value}
              onChange={() => onChange(mode)}
              className="mt-1 shrink-0 accent-(--accent) outline-none"
            />
            <span>
              <span className="block font-medium">{t(`commands.mode_${mode}`)}</span>
              <span className="block text-sm text-muted">{t(`commands.mode_${mode}_text`)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
