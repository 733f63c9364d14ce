import { type SubmitEvent, useId, useMemo, useRef, useState } from 'react'
import type { Command } from '../../contract/commands.ts'
import { fits, parsePrompt, type Variable } from '../../contract/variables.ts'
import { closeOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { keepValues, lastValues } from './last-values.ts'
import { useRunCommand } from './use-run-command.ts'
import { VariableField } from './variable-field.tsx'

/** Asks for a command's variables, prefilled with the last values, then runs it. */
export function VariablesForm({ command }: { readonly command: Command }) {
  const { variables } = useMemo(() => parsePrompt(command.prompt), [command.prompt])
  const [values, setValues] = useState(() => lastValues(command.command_id, variables))
  const [checked, setChecked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const formId = useId()
  const run = useRunCommand()
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    const wrong = variables.findIndex((variable) => !fits(variable, values.get(variable.name) ?? ''))
    if (wrong >= 0) {
      setChecked(true)
      const control = form.current?.elements[wrong]
      if (control instanceof HTMLElement) control.focus()
      return
    }
    keepValues(command.command_id, values)
    closeOverlay()
    run(command, values)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || closeOverlay()}
      title={command.name}
      description={t(`commands.mode_${command.run_mode}_text`)}
      actions={
        <>
          <Button onClick={closeOverlay}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary">
            {t(`commands.mode_${command.run_mode}`)}
          </Button>
        </>
      }
    >
      <form id={formId} ref={form} onSubmit={onSubmit} noValidate className="space-y-4">
        {variables.map((variable, index) => {
          const value = values.get(variable.name) ?? ''
          return (
            <VariableField
              key={variable.name}
              variable={variable}
              value={value}
              autoFocus={index === 0}
              error={checked && !fits(variable, value) ? wrongText(variable) : null}
              onChange={(next) => setValues(new Map(values).set(variable.name, next))}
            />
          )
        })}
      </form>
    </Dialog>
  )
}

function wrongText({ type }: Variable): string {
  if (type === 'number') return t('commands.not_a_number')
  if (type === 'host') return t('commands.not_a_host')
  if (type === 'date') return t('commands.not_a_date')
  return type === 'choice' ? t('commands.nothing_chosen') : t('commands.nothing_written')
}
