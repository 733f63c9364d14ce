import { t } from '../../text/i18n.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { hasBlanks, type Variable } from './understand.ts'

interface ProgramFieldsProps {
  /** Its arguments, one per line. */
  readonly lines: string
  onLines(lines: string): void
  readonly variables: readonly Variable[]
  /** What was entered; the others are as they were given. */
  readonly values: Readonly<Record<string, string>>
  onValues(values: Readonly<Record<string, string>>): void
}

/** What a program is started with. Its variables become settings of the module. */
export function ProgramFields({ lines, onLines, variables, values, onValues }: ProgramFieldsProps) {
  return (
    <>
      <TextArea
        label={t('modules.add_arguments')}
        hint={t('modules.add_arguments_hint')}
        value={lines}
        onChange={onLines}
        error={hasBlanks(lines) ? t('modules.add_blanks') : null}
        rows={Math.min(6, Math.max(2, lines.split('\n').length))}
        spellCheck={false}
        className="[&_textarea]:font-mono"
      />
      {variables.length > 0 && (
        <fieldset className="space-y-4">
          <legend className="mb-2 font-semibold">{t('modules.add_variables')}</legend>
          {variables.map(({ name, value, sensitive, hint = '', choices }) => {
            const given = values[name] ?? value
            const field = {
              label: name,
              value: given,
              error: !sensitive && hasBlanks(given) ? t('modules.add_blanks') : null,
              hint: [hint, sensitive ? t('modules.add_secret_hint') : ''].filter(Boolean).join(' · ') || undefined,
              onChange: (next: string) => onValues({ ...values, [name]: next }),
            }
            return choices === undefined ? (
              <TextField
                key={name}
                {...field}
                type={sensitive ? 'password' : 'text'}
                autoComplete="off"
                spellCheck={false}
              />
            ) : (
              <SelectField
                key={name}
                {...field}
                options={['', ...choices].map((one) => ({ value: one, label: one === '' ? '–' : one }))}
              />
            )
          })}
        </fieldset>
      )}
    </>
  )
}
