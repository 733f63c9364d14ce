import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { t } from '../../i18n.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { TextField } from '../../parts/text-field.tsx'

interface ProofDialogProps {
  readonly title: string
  readonly text: string
  /** What happens, as a verb. */
  readonly verb: string
  /** The account has a password; else only a code proves who is there. */
  readonly password: boolean
  readonly danger?: boolean
  run(proof: { password: string } | { code: string }): Promise<void>
  onClose(): void
}

/** Asks for the password, or a code, before the second factor changes. */
export function ProofDialog({ title, text, verb, password, danger = false, run, onClose }: ProofDialogProps) {
  const form = useId()
  const [byCode, setByCode] = useState(!password)
  const [typed, setTyped] = useState('')
  const change = useMutation({ mutationFn: () => run(byCode ? { code: typed } : { password: typed }) })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (typed.trim() !== '' && !change.isPending) change.mutate()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            form={form}
            variant={danger ? 'danger' : 'primary'}
            disabled={typed.trim() === ''}
            busy={change.isPending}
          >
            {verb}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-4">
        <p>{text}</p>
        {change.isError && <ErrorNotice title={t('account.proof_failed')} error={change.error} />}
        <TextField
          key={byCode ? 'code' : 'password'}
          label={t(byCode ? 'account.proof_code' : 'account.password_current')}
          type={byCode ? 'text' : 'password'}
          value={typed}
          onChange={setTyped}
          autoComplete={byCode ? 'one-time-code' : 'current-password'}
          maxLength={byCode ? 40 : 1000}
          autoFocus
          required
        />
        {password && (
          <Button
            variant="ghost"
            size="sm"
            onClick={() => {
              setTyped('')
              setByCode(!byCode)
            }}
          >
            {t(byCode ? 'account.proof_by_password' : 'account.proof_by_code')}
          </Button>
        )}
      </form>
    </Dialog>
  )
}
