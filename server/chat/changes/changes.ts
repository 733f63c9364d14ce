import type { Caller, Permission } from '../../../contract/route.ts'
import type { RunContext } from '../run/run-context.ts'
import { dropOldChanges } from './keep-changes.ts'
import { listChanges, readChange } from './list-changes.ts'
import { type UndoMessage, undoMessage } from './undo-message.ts'

/** Stores a message and starts its run; `asks`: permissions of it that require approval. */
type Send = (
  caller: Caller,
  request: UndoMessage & { readonly asks: readonly Permission[] },
) => Promise<{ readonly run_id: string; readonly conversation_id: string }>

/** What calls have changed, for the routes: everybody's own, and all for whoever may read the audit log. */
export class Changes {
  readonly #context: Pick<RunContext, 'db' | 'ports'>
  readonly #send: Send

  constructor(context: Pick<RunContext, 'db' | 'ports'>, send: Send) {
    this.#context = context
    this.#send = send
  }

  /** @throws {AppError} invalid_request for an invalid cursor */
  async list(caller: Caller, query: Parameters<typeof listChanges>[3]) {
    return listChanges(this.#context.db.read, caller, await this.#seesAll(caller), query)
  }

  /** @throws {AppError} not_found */
  async read(caller: Caller, change_id: string) {
    return readChange(this.#context.db.read, caller, await this.#seesAll(caller), change_id)
  }

  /** Sends the call that takes a change back. @throws {AppError} not_found, change_not_undoable, run_active */
  async undo(caller: Caller, change_id: string, asks: readonly Permission[]) {
    const { db, ports } = this.#context
    await ports.tools.ready()
    const undo = await undoMessage(db.read, ports.tools, caller, change_id)
    return { ok: true as const, ...(await this.#send(caller, { ...undo, asks })) }
  }

  dropOld(signal: AbortSignal): Promise<void> {
    return dropOldChanges(this.#context.db, signal)
  }

  async #seesAll(caller: Caller): Promise<boolean> {
    const { effect } = await this.#context.ports.senders.permission(caller, 'audit.read')
    return effect === 'allow'
  }
}
