import { OperatorProblem } from '../../kernel/operator-problem.ts'

/** The store refused a request, or answered none of the attempts. Its text never contains the caller's key. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure'
  /** 0 when there was no answer at all. */
  readonly status: number
  /** The store's own code: `NoSuchBucket`. Empty when it gave none. */
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** The bucket cannot be used at startup; the message is the one sentence that the operator reads. */
export class StoreUnreachable extends OperatorProblem {
  override readonly name = 'StoreUnreachable'
}
