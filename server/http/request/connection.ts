import type { ServerResponse } from 'node:http'

/**
 * Tells a handler that its client has left. The signal is created only when it is used, since most requests are
 * answered before anyone could leave.
 */
export class Connection {
  readonly #response: ServerResponse
  #controller: AbortController | null = null

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      const controller = new AbortController()
      this.#controller = controller
      const response = this.#response
      const onClose = () => {
        if (!response.writableFinished) controller.abort()
      }
      if (response.destroyed) onClose()
      else response.once('close', onClose)
    }
    return this.#controller.signal
  }

  /** Ends the work for this connection even if it is still open: the server is stopping, or the session has ended. */
  leave(): void {
    this.#controller?.abort()
  }
}
