/**
 * Something that keeps the service or a command from working and is not a fault of the program. The message is one or
 * two sentences for the operator, saying what to do; it contains no secret, and no stack is printed for it.
 */
export class OperatorProblem extends Error {
  override readonly name: string = 'OperatorProblem'
}
