/** A backup cannot be taken, read or restored; the message is one sentence for the operator. */
export class BackupProblem extends Error {
  override readonly name = 'BackupProblem'
}
