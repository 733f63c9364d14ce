import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PromptEntry } from '../../contract/prompts.ts'
import { useToMessageBox } from '../chat/composer/use-to-message-box.ts'
import { closeOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { FormDialog } from '../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { otherValues } from '../chat/composer/resources/resource-form.tsx'
import { Suggestions } from '../chat/composer/resources/suggestions.tsx'
import { fillModulePrompt } from './fill-prompt.ts'

/** Asks for the arguments of a module's prompt, has the module write the text, and puts it in the message box. */
export function PromptForm({ entry }: { readonly entry: PromptEntry }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [checked, setChecked] = useState(false)
  const [focused, setFocused] = useState(entry.arguments[0]?.name)
  const toMessageBox = useToMessageBox()
  const missing = entry.arguments.filter(({ name, required }) => required && (values[name] ?? '').trim() === '')
  const fill = useMutation({
    mutationFn: () =>
      fillModulePrompt(entry, Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))),
    onSuccess: (text) => {
      closeOverlay()
      toMessageBox({ text, target: 'shown', send: false })
    },
  })
  const onSubmit = (): void => {
    if (missing.length > 0) setChecked(true)
    else if (!fill.isPending) fill.mutate()
  }
  return (
    <FormDialog
      title={entry.title}
      description={t('prompts.insert_text', { module: entry.module_title })}
      onClose={closeOverlay}
      onSubmit={onSubmit}
      submit={t('prompts.insert')}
      busy={fill.isPending}
    >
      {fill.isError && <ErrorNotice title={t('prompts.no_text')} error={fill.error} />}
      {entry.arguments.map(({ name, description, required }, index) => (
        <div key={name} onFocus={() => setFocused(name)}>
          <TextArea
            label={required ? name : t('question.optional', { title: name })}
            hint={description === '' ? undefined : description}
            value={values[name] ?? ''}
            rows={1}
            maxLength={10_000}
            autoFocus={index === 0}
            error={checked && missing.some((one) => one.name === name) ? t('commands.nothing_written') : null}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
          <Suggestions
            completed={{
              module: entry.module,
              of: { prompt: entry.name },
              argument: name,
              value: (values[name] ?? '').slice(0, 1000),
              given: otherValues(values, name),
            }}
            module={entry.module_title}
            wanted={focused === name && entry.completes === true}
            onChoose={(value) => setValues({ ...values, [name]: value })}
          />
        </div>
      ))}
    </FormDialog>
  )
}
