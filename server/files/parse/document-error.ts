/** Why a document could not be read: `unsupported` is a kind we do not read, `failed` a broken or hostile one. `message` is for a person. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
  readonly status: 'unsupported' | 'failed'

  /** False when the next attempt may well come out better. */
  readonly lasting: boolean

  constructor(status: 'unsupported' | 'failed', message: string, lasting = true) {
    super(message)
    this.status = status
    this.lasting = lasting
  }
}
