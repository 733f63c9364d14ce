import { OperatorProblem } from '../kernel/operator-problem.ts'

/** A key or a certificate that cannot be used; the message is a sentence for the operator. */
export class CertificateError extends OperatorProblem {
  override readonly name = 'CertificateError'
}
