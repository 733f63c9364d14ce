import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Trx } from '../../db/database.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { Vault } from '../../kernel/vault.ts'
import { sentenceOf } from '../spec/module-problem.ts'
import { type Challenge, NotConnected, type RemoteAccess } from '../spec/remote-access.ts'
import { renewGrant } from './authorization.ts'
import { GrantOver } from './authorization-problem.ts'
import {
  breakConnection,
  leaveRenewal,
  type OpenedConnection,
  readConnection,
  saveRenewal,
  takeRenewal,
} from './connection-rows.ts'

/** Tokens that end within this time are renewed before they are sent. */
const EARLY_MS = 30_000
const LOOK_AGAIN_MS = 200

export interface AccessPorts {
  readonly db: Database
  readonly vault: Vault
  readonly clock: () => number
  readonly fetch: (module: string) => (input: string | URL, init?: RequestInit) => Promise<Response>
  /** In the transaction in which a connection turns out to be over. */
  readonly onBroken: (trx: Trx, connection: OpenedConnection, problem: Sentence) => Promise<void>
}

/** Hands out the tokens of connections. Tokens are renewed by one at a time, across processes. */
export class Accesses {
  readonly #ports: AccessPorts
  /** Renewals of this process, by module and owner. */
  readonly #renewals = new Map<string, Promise<OpenedConnection>>()

  constructor(ports: AccessPorts) {
    this.#ports = ports
  }

  /** `onToken` is told each token before it is sent, so that it can be masked in what comes back. */
  of(module: string, owner: string, onToken: (token: string) => void): RemoteAccess {
    const told = ({ grant }: OpenedConnection) => {
      onToken(grant.access_token)
      return grant.access_token
    }
    return {
      token: async () => {
        const found = await this.#connected(module, owner)
        const { expires_at, refresh_token } = found.grant
        const ends = expires_at !== null && expires_at - EARLY_MS < this.#ports.clock()
        return told(ends && refresh_token !== undefined ? await this.#renewed(found) : found)
      },
      renewed: async (refused) => {
        const found = await this.#connected(module, owner)
        // Somebody has renewed it since it was sent.
        if (found.grant.access_token !== refused) return told(found)
        if (found.grant.refresh_token !== undefined) return told(await this.#renewed(found))
        throw await this.#broken(
          found,
          say`The server does not accept the connection any more. Connect it again.`,
          null,
        )
      },
      ended: async (challenge, token) => this.#ended(module, owner, challenge, token),
    }
  }

  async #connected(module: string, owner: string): Promise<OpenedConnection> {
    const { db, vault } = this.#ports
    const found = await readConnection(db.read, vault, module, owner)
    if (found === null) throw new NotConnected()
    if (found.status !== 'connected') throw new NotConnected(found.problem ?? undefined)
    return found
  }

  #renewed(found: OpenedConnection): Promise<OpenedConnection> {
    const key = `${found.module}\0${found.owner}`
    let renewal = this.#renewals.get(key)
    if (renewal === undefined) {
      renewal = this.#renew(found).finally(() => this.#renewals.delete(key))
      this.#renewals.set(key, renewal)
    }
    return renewal
  }

  /** A refresh token counts once at many servers, so whoever comes second waits for what the first one gets. */
  async #renew(found: OpenedConnection): Promise<OpenedConnection> {
    const { db, vault, clock, fetch } = this.#ports
    while (!(await takeRenewal(db, found))) {
      await delay(LOOK_AGAIN_MS)
      const now = await this.#connected(found.module, found.owner)
      if (now.version !== found.version) return now
    }
    try {
      const grant = await renewGrant(found.grant, fetch(found.module), clock())
      await saveRenewal(db, vault, found, grant)
      return await this.#connected(found.module, found.owner)
    } catch (error) {
      if (error instanceof GrantOver)
        throw await this.#broken(found, say`What was granted has ended or was taken back. Connect it again.`, null)
      await leaveRenewal(db, found).catch(() => undefined)
      if (error instanceof NotConnected) throw error
      throw new NotConnected(say`The access could not be renewed: ${sentenceOf(error)}`)
    }
  }

  async #ended(module: string, owner: string, { status, header }: Challenge, token: string): Promise<NotConnected> {
    const found = await this.#connected(module, owner)
    if (found.grant.access_token !== token) return new NotConnected(say`The connection was just made anew.`)
    return status === 403
      ? this.#broken(found, say`The server wants more than was granted. Connect it again to agree to that.`, header)
      : this.#broken(found, say`The server does not accept the connection any more. Connect it again.`, null)
  }

  async #broken(found: OpenedConnection, problem: Sentence, challenge: string | null): Promise<NotConnected> {
    const { db, onBroken } = this.#ports
    await db.transaction(async (trx) => {
      if (await breakConnection(trx, found, problem, challenge)) await onBroken(trx, found, problem)
    })
    return new NotConnected(problem)
  }
}
