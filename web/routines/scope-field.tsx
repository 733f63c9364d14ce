import { SelectField } from '../parts/controls/select-field.tsx'
import { t } from '../text/i18n.ts'
import { type Share, shareOf, withShare } from './scope-draft.ts'

interface ScopeFieldProps {
  readonly scope: readonly string[]
  readonly tools: readonly { readonly module: string; readonly tool: string; readonly effect: string }[]
  onChange(scope: readonly string[]): void
}

/** What a routine may use at most, module by module. */
export function ScopeField({ scope, tools, onChange }: ScopeFieldProps) {
  const modules = [...new Set(tools.map(({ module }) => module))].toSorted()
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 font-medium">{t('routines.scope')}</legend>
      <p className="text-muted text-sm">{t('routines.scope_hint')}</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {modules.map((module) => {
          const share = shareOf(scope, tools, module)
          const shares: Share[] = ['nothing', 'read', 'all', ...(share === 'own' ? (['own'] as const) : [])]
          return (
            <SelectField
              key={module}
              label={module}
              value={share}
              hint={share === 'own' ? chosenOf(scope, module).join(', ') : undefined}
              onChange={(next) => {
                if (next !== 'own') onChange(withShare(scope, tools, module, next as Exclude<Share, 'own'>))
              }}
              options={shares.map((one) => ({ value: one, label: t(`routines.share_${one}`) }))}
            />
          )
        })}
      </div>
    </fieldset>
  )
}

/** The tools of a module that were chosen one by one, by their names. */
function chosenOf(scope: readonly string[], module: string): string[] {
  const prefix = `tool:${module}.`
  return scope.filter((subject) => subject.startsWith(prefix)).map((subject) => subject.slice(prefix.length))
}
