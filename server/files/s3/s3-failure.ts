/** The store refused a request, or did not answer any of the attempts. Its text never holds a key of the caller. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure'
  /** 0 when there was no answer at all. */
  readonly status: number
  /** The store's own word: `NoSuchBucket`. Empty where it gave none. */
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** The bucket cannot be used at the start; the message is the one sentence that the operator reads. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable'
}
