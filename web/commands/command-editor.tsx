import { useQuery } from '@tanstack/react-query'
import { Fragment, type SubmitEvent, useId, useState } from 'react'
import type { Command } from '../../contract/commands.ts'
import { ApiError } from '../client/api-error.ts'
import { explainError } from '../client/explain-error.ts'
import { closeOverlay, openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { SelectField } from '../parts/controls/select-field.tsx'
import { TextArea } from '../parts/controls/text-area.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { commandsQuery } from './commands-query.ts'
import { PromptVariables } from './prompt-variables.tsx'
import { RunModeField } from './run-mode-field.tsx'
import { saveCommand, type CommandFields } from './save-command.ts'

interface CommandEditorProps {
  /** Null: a new command. */
  readonly command: Command | null
  readonly prompt?: string
  readonly folderId?: string | null
  /** Return to the command list afterwards. */
  readonly back: boolean
}

/** Creates or edits a quick command. */
export function CommandEditor({ command, prompt = '', folderId = null, back }: CommandEditorProps) {
  const [before] = useState<CommandFields>(() => ({
    name: command?.name ?? '',
    prompt: command?.prompt ?? prompt,
    run_mode: command?.run_mode ?? 'insert',
    folder_id: command?.folder_id ?? folderId,
  }))
  const [fields, setFields] = useState(before)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const [leaving, setLeaving] = useState(false)
  const formId = useId()
  const folders = useQuery(commandsQuery).data?.folders ?? []
  const change = (patch: Partial<CommandFields>): void => {
    setFields({ ...fields, ...patch })
    setError(null)
    setLeaving(false)
  }
  const done = (): void => (back ? openOverlay({ kind: 'commands' }) : closeOverlay())
  const changed = (Object.keys(before) as (keyof CommandFields)[]).some((key) => fields[key] !== before[key])
  const leave = (): void => (changed && !leaving ? setLeaving(true) : done())
  const ready = fields.name.trim() !== '' && fields.prompt.trim() !== ''
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      await saveCommand(command, fields)
      toast({ text: t('commands.saved', { name: fields.name.trim() }) })
      done()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (ready && !busy) void save()
  }
  const code = error instanceof ApiError ? error.code : null
  return (
    <Dialog
      open
      onOpenChange={(open) => open || leave()}
      title={t(command === null ? 'commands.new' : 'commands.edit')}
      size="lg"
      actions={
        // Keyed: the button under the pointer must not turn into the submit button during a click.
        leaving ? (
          <Fragment key="leaving">
            <span role="alert" className="me-auto self-center">
              {t('unsaved.title')}
            </span>
            <Button onClick={() => setLeaving(false)}>{t('commands.keep_editing')}</Button>
            <Button variant="danger" onClick={done}>
              {t('action.discard')}
            </Button>
          </Fragment>
        ) : (
          <Fragment key="editing">
            <Button onClick={leave}>{t('action.cancel')}</Button>
            <Button type="submit" form={formId} variant="primary" busy={busy} disabled={!ready}>
              {t('action.save')}
            </Button>
          </Fragment>
        )
      }
    >
      <form id={formId} onSubmit={onSubmit} className="space-y-4">
        {error !== null && code !== 'bad_name' && code !== 'bad_prompt' && (
          <ErrorNotice title={t('commands.not_saved')} error={error} />
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('commands.name')}
            value={fields.name}
            onChange={(name) => change({ name })}
            error={code === 'bad_name' ? explainError(error) : null}
            autoComplete="off"
            autoFocus
          />
          <SelectField
            label={t('commands.folder')}
            value={fields.folder_id ?? ''}
            onChange={(id) => change({ folder_id: id === '' ? null : id })}
            options={[
              { value: '', label: t('commands.no_folder') },
              ...folders.map((folder) => ({ value: folder.folder_id, label: folder.name })),
            ]}
          />
        </div>
        <TextArea
          label={t('commands.prompt')}
          value={fields.prompt}
          onChange={(text) => change({ prompt: text })}
          error={code === 'bad_prompt' ? explainError(error) : null}
          hint={<PromptVariables prompt={fields.prompt} />}
          rows={7}
          spellCheck
        />
        <RunModeField value={fields.run_mode} onChange={(mode) => change({ run_mode: mode })} />
      </form>
    </Dialog>
  )
}
