import { Dialog } from '../../parts/layout/dialog.tsx'
import { ProofActions, ProofForm, useTypedProof } from '../confirm/typed-proof.tsx'

interface ProofDialogProps {
  readonly title: string
  readonly text: string
  /** The action, as a verb. */
  readonly verb: string
  /** The account has a password; otherwise only a code can confirm the user's identity. */
  readonly password: boolean
  readonly danger?: boolean
  run(proof: { password: string } | { code: string }): Promise<void>
  onClose(): void
}

/** Asks for the password, or a code, before the second factor changes. */
export function ProofDialog({ title, text, verb, password, danger = false, run, onClose }: ProofDialogProps) {
  const proof = useTypedProof({ password, code: true }, run)
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      size="sm"
      actions={<ProofActions proof={proof} verb={verb} danger={danger} onCancel={onClose} />}
    >
      <ProofForm proof={proof} text={text} />
    </Dialog>
  )
}
