import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent, type ReactNode } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'

type Proof = { password: string } | { code: string }

/** The kinds of proof that can be typed for this account. */
interface TypedWays {
  readonly password: boolean
  readonly code: boolean
}

/** A typed password or code that confirms the user's identity; `send` passes it to the server. */
export function useTypedProof(ways: TypedWays, send: (proof: Proof) => Promise<unknown>) {
  const form = useId()
  const [typed, setTyped] = useState('')
  const [wantsCode, setWantsCode] = useState(false)
  const byCode = ways.code && (wantsCode || !ways.password)
  const sending = useMutation({ mutationFn: () => send(byCode ? { code: typed } : { password: typed }) })
  const empty = typed.trim() === ''
  return {
    ways,
    form,
    typed,
    setTyped,
    byCode,
    empty,
    swap: () => {
      setTyped('')
      setWantsCode(!byCode)
    },
    submit: (event: FormEvent) => {
      event.preventDefault()
      if (!empty && !sending.isPending) sending.mutate()
    },
    busy: sending.isPending,
    error: sending.error,
  }
}

type TypedProof = ReturnType<typeof useTypedProof>

interface ProofFormProps {
  readonly proof: TypedProof
  /** What it is for. */
  readonly text: string
  /** Why another method failed, when typing has not. */
  readonly otherError?: Error | null
  readonly notice?: ReactNode
  /** Methods that need no typing. */
  readonly children?: ReactNode
}

/** The body of a dialog that asks for a typed proof. */
export function ProofForm({ proof, text, otherError = null, notice, children }: ProofFormProps) {
  const { ways, form, typed, setTyped, byCode, swap, submit } = proof
  const error = proof.error ?? otherError
  return (
    <form id={form} onSubmit={submit} className="space-y-4">
      <p>{text}</p>
      {error !== null && <ErrorNotice title={t('account.proof_failed')} error={error} />}
      {notice}
      {(ways.password || ways.code) && (
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
      )}
      {ways.password && ways.code && (
        <Button variant="ghost" size="sm" onClick={swap}>
          {t(byCode ? 'account.proof_by_password' : 'account.proof_by_code')}
        </Button>
      )}
      {children}
    </form>
  )
}

interface ProofActionsProps {
  readonly proof: TypedProof
  /** The action, as a verb. */
  readonly verb: string
  readonly danger?: boolean
  onCancel(): void
}

/** The buttons below it. */
export function ProofActions({ proof, verb, danger = false, onCancel }: ProofActionsProps) {
  const { ways, form, empty, busy } = proof
  return (
    <>
      <Button onClick={onCancel}>{t('action.cancel')}</Button>
      {(ways.password || ways.code) && (
        <Button type="submit" form={form} variant={danger ? 'danger' : 'primary'} disabled={empty} busy={busy}>
          {verb}
        </Button>
      )}
    </>
  )
}
