import { OperatorProblem } from '../../kernel/operator-problem.ts'

/** A backup that cannot be taken, read or restored; the message is one sentence for the operator. */
export class BackupProblem extends OperatorProblem {
  override readonly name = 'BackupProblem'
}
