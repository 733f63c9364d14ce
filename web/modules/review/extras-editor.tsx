import { t } from '../../text/i18n.ts'
import { TextArea } from '../../parts/controls/text-area.tsx'
import type { ExtrasForm } from './extras-form.ts'

/** What an administrator adds to the launch of a bundle. */
export function ExtrasEditor({ form, onChange }: { readonly form: ExtrasForm; onChange(form: ExtrasForm): void }) {
  return (
    <div className="mt-4 grid gap-4 sm:grid-cols-2">
      <TextArea
        label={t('modules.extra_args')}
        hint={t('modules.extra_args_hint')}
        value={form.args}
        onChange={(args) => onChange({ ...form, args })}
        rows={2}
        spellCheck={false}
        className="[&_textarea]:font-mono"
      />
      <TextArea
        label={t('modules.extra_env')}
        hint={t('modules.extra_env_hint')}
        value={form.env}
        onChange={(env) => onChange({ ...form, env })}
        rows={2}
        spellCheck={false}
        autoComplete="off"
        className="[&_textarea]:font-mono"
      />
    </div>
  )
}
